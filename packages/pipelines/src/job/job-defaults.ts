import { join } from 'node:path'

/** The defaults of the jobs' inputs; the command line's help shows them. */
export const jobDefaults = {
  /** The encoder. */
  model: 'minilm',
  /** From which grade on a document is relevant. */
  level: 1,
  /** The policy for queries and documents that lack an embedding or a text. */
  missing: 'error',
  /** The measure that settings and trainings are compared by. */
  measure: 'nDCG@10',
  /** Documents that a search finds for a query. */
  top: 200,
  /** Documents that an audit lists for a query. */
  perQuery: 10,
  /** How often an audit's evaluation draws the document that stays, and the first seed. */
  repeats: 5,
  auditSeed: 1,
  /** The policy for labeled documents that are not among a query's candidates. */
  outside: 'drop',
  /** The part of the judged queries that a training without validation queries is tested on. */
  holdOut: 0.2,
  /** Settings that each study of a try's tuning tries: enough to see whether tuning pays. */
  tryTrials: 60,
  /** Trainings that a search over trainings tries. */
  trainings: 20,
  /** The number that reciprocal rank fusion adds to ranks, as it was published. */
  rrfK: 60,
  /** Queries per job of a batch: some seconds of work, so that little is lost with a worker. */
  jobSize: 256,
  /** Seconds without a heartbeat after which a job goes to another worker. */
  lease: 60,
} as const

/** The measures that are taken if none are named. */
export const usualMeasures: readonly string[] = ['nDCG@10', 'MRR@10', 'MAP@10', 'Recall@10']

/** The policies for labeled documents that are not among a query's candidates. */
export const outsidePolicies = ['drop', 'inject'] as const

/**
 * `drop` leaves labeled documents out that are not among a query's candidates, and queries that
 * have no others; `inject` puts them into the candidates.
 */
export type OutsidePolicy = (typeof outsidePolicies)[number]

export const labelFormats = [
  'jsonl',
  'parquet',
  'tsv',
  'sentence-transformers',
  'hard-negatives',
  'listwise',
  'tevatron',
] as const

/** How labels are written; `docs/labels.md` has the line that loads each one. */
export type LabelFormat = (typeof labelFormats)[number]

export const labelValues = ['probability', 'logit'] as const

/** The files that `convertFile` reads and writes. */
export const convertedKinds = ['run', 'qrels', 'texts', 'embeddings'] as const

export type ConvertedKind = (typeof convertedKinds)[number]

/**
 * How runs become one: `rrf` adds the reciprocals of ranks, `min-max` and `z` add scores that are
 * normalized so, query by query.
 */
export const fusions = ['rrf', 'min-max', 'z'] as const

/** The name of a fusion. */
export type Fusion = (typeof fusions)[number]

/** The file of trials of `tuneRun` if no path is given. */
export function studyBeside(out: string): string {
  return `${out}.study.jsonl`
}

/** The file of trials of `tuneTraining`. */
export function trainingStudy(out: string): string {
  return join(out, 'study.jsonl')
}

/** The page that `auditRun` and `calibrateRun` write beside their output if no place is named. */
export function pageBeside(out: string): string {
  return `${out.replace(/\.(tsv|jsonl?)(\.gz)?$/i, '')}.html`
}
