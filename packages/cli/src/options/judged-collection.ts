import { jobDefaults } from '@kith/pipelines/job'
import type { JudgedInputs } from '@kith/pipelines/tune'
import { type Options, rare, type Values } from './command.ts'
import { type DatasetFiles, datasetOptions } from './dataset-options.ts'
import {
  embeddingOptions,
  levelOption,
  missingOption,
  readEmbeddingOptions,
  readMissing,
  textFiles,
  textOptions,
  workerOption,
} from './shared-options.ts'
import { isSet, optionalChoice, optionalText, optionalWhole, text } from './values.ts'

/** Judged queries that settings are measured on, and how. */
export const judgedOptions = {
  run: { value: 'FILE', file: 'input', help: 'the run that would be reranked', required: true },
  queries: { value: 'FILE', file: 'input', help: 'embeddings of the queries', required: true },
  docs: { value: 'FILE', file: 'input', help: 'embeddings of the documents', required: true },
  qrels: { value: 'FILE', file: 'input', help: 'judgments', required: true },
  ...textOptions,
  'term-statistics': {
    rare: true,
    value: 'KIND',
    help: 'corpus: count the terms of --corpus; none: count terms among each query’s candidates only',
    default: 'corpus',
  },
  measure: { value: 'NAME', help: 'what is measured', default: jobDefaults.measure },
  ...levelOption,
  strict: { rare: true, help: 'grades below the level give no gain in nDCG either (TREC DL)' },
  ...missingOption('queries or candidates'),
  ...datasetOptions,
  ...rare(embeddingOptions),
  ...workerOption,
} satisfies Options

/** Where a dataset has the files of `judgedOptions`. */
export const judgedFiles = {
  ...{ run: 'run', queries: 'queryEmbeddings', docs: 'documentEmbeddings' },
  ...{ corpus: 'corpus', 'query-text': 'queries', qrels: 'qrels' },
} satisfies DatasetFiles

/** The values of `judgedOptions`. */
export function readJudged(values: Values<typeof judgedOptions>): JudgedInputs {
  const [corpus, queryText] = textFiles(values)
  return {
    ...readEmbeddingOptions(values),
    run: text(values, 'run'),
    queries: text(values, 'queries'),
    docs: text(values, 'docs'),
    qrels: text(values, 'qrels'),
    corpus,
    queryText,
    statistics:
      optionalChoice(values, 'term-statistics', ['corpus', 'none']) === 'none'
        ? 'context'
        : 'corpus',
    measure: optionalText(values, 'measure'),
    level: optionalWhole(values, 'level'),
    strict: isSet(values, 'strict'),
    missing: readMissing(values),
    workers: optionalWhole(values, 'workers'),
  }
}
