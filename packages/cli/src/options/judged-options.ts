import { parseMeasure } from '@kith/ir/measures'
import { jobDefaults } from '@kith/pipelines/job'
import type { JudgedInputs } from '@kith/pipelines/tune'
import { type Options, rare, type Values } from './command.ts'
import { type DatasetFiles, datasetOptions } from './dataset-options.ts'
import {
  joinOptions,
  levelOption,
  readJoinOptions,
  textFiles,
  textOptions,
} from './shared-options.ts'
import { isSet, optionalChoice, optionalText, optionalWhole, text } from './values.ts'

/** Options for judged queries, and for how settings are measured on them. */
export const judgedOptions = {
  run: { value: 'FILE', file: 'input', help: 'run to rerank', required: true },
  queries: { value: 'FILE', file: 'input', help: 'query embeddings', required: true },
  docs: { value: 'FILE', file: 'input', help: 'document embeddings', required: true },
  qrels: { value: 'FILE', file: 'input', help: 'relevance judgments', required: true },
  ...textOptions,
  'term-statistics': {
    rare: true,
    value: 'KIND',
    help: 'source of the term statistics: corpus (all of --corpus), or none (each query’s candidates only)',
    default: 'corpus',
  },
  measure: { value: 'NAME', help: 'measure to optimize or plot', default: jobDefaults.measure },
  ...levelOption,
  strict: { rare: true, help: 'give grades below --level no gain in nDCG (TREC Deep Learning)' },
  ...datasetOptions,
  ...rare(joinOptions('queries or candidates'), 'missing', 'workers'),
} satisfies Options

/** The files of a dataset for `judgedOptions`. */
export const judgedFiles = {
  ...{ run: 'run', queries: 'queryEmbeddings', docs: 'documentEmbeddings' },
  ...{ corpus: 'corpus', 'query-text': 'queries', qrels: 'qrels' },
} satisfies DatasetFiles

/** Returns the values of `judgedOptions`. */
export function readJudged(values: Values<typeof judgedOptions>): JudgedInputs {
  const [corpus, queryText] = textFiles(values)
  const measure = optionalText(values, 'measure')
  if (measure !== undefined) parseMeasure(measure)
  return {
    ...readJoinOptions(values),
    run: text(values, 'run'),
    queries: text(values, 'queries'),
    docs: text(values, 'docs'),
    qrels: text(values, 'qrels'),
    corpus,
    queryText,
    defaultTokenizer: values.defaultTokenizer,
    statistics:
      optionalChoice(values, 'term-statistics', ['corpus', 'none']) === 'none'
        ? 'context'
        : 'corpus',
    measure,
    level: optionalWhole(values, 'level'),
    strict: isSet(values, 'strict'),
  }
}
