import type { Method } from '@kith/core'
import { methods } from '@kith/core/internal'
import { jobDefaults } from '@kith/pipelines/job'
import type { JudgedInputs, TuneInputs } from '@kith/pipelines/tune'
import { tuneDefaults } from '@kith/tune/internal'
import { type Options, rare, type Values } from './command.ts'
import { type DatasetFiles, datasetOptions } from './dataset-options.ts'
import { settingOptions } from './setting-options.ts'
import {
  joinOptions,
  levelOption,
  readJoinOptions,
  textFiles,
  textOptions,
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
  ...datasetOptions,
  ...rare(joinOptions('queries or candidates'), 'missing', 'workers'),
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
    ...readJoinOptions(values),
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
  }
}

/** The options of `kith tune`. */
export const tuneOptions = {
  ...judgedOptions,
  out: {
    value: 'FILE',
    file: 'output',
    help: 'what was found: settings, evidence, verdict',
    required: true,
  },
  trials: {
    value: 'N',
    help: 'settings that each study tries',
    default: String(tuneDefaults.trials),
  },
  folds: {
    value: 'N',
    help: 'parts that the queries are split into',
    default: String(tuneDefaults.folds),
  },
  seed: { value: 'N', help: 'of folds and trials', default: String(tuneDefaults.seed) },
  study: {
    value: 'FILE',
    file: 'output',
    help: 'where finished trials are kept',
    default: 'OUT.study.jsonl',
  },
  methods: {
    value: 'LIST',
    help: `methods to choose among, or all: ${methods.join(', ')}`,
    default: 'neighbors',
  },
  ...rare(settingOptions, 'preset', 'set'),
} satisfies Options

/** The methods that --methods lets a tuning choose among. */
export function readMethods(values: Values<typeof tuneOptions>): TuneInputs['methods'] {
  const list = optionalText(values, 'methods') ?? 'neighbors'
  // Names that are no methods are refused where methods are known.
  return list === 'all' ? list : (list.split(',').map((name) => name.trim()) as Method[])
}
