import { join } from 'node:path'

/** The defaults of the jobs' inputs; the command line's help shows them. */
export const jobDefaults = {
  /** The model of the encoder. */
  model: 'minilm',
  /** The minimum grade of a relevant document. */
  level: 1,
  /** The policy for queries and documents without an embedding or a text. */
  missing: 'error',
  /** The measure for comparing settings and trainings. */
  measure: 'nDCG@10',
  /** Number of documents that a search returns per query. */
  top: 200,
  /** Number of documents that an audit lists per query. */
  perQuery: 10,
  /** Number of draws in an audit's evaluation, and the first seed. */
  repeats: 5,
  auditSeed: 1,
  /** The policy for labeled documents that are not among a query's candidates. */
  outside: 'drop',
  /** The fraction of the judged queries to hold out for a training without validation queries. */
  holdOut: 0.2,
  /** Number of trials in each study of a try's tuning: enough to see whether tuning helps. */
  tryTrials: 60,
  /** Number of trainings that a search over training settings runs. */
  trainings: 20,
  /** The constant that reciprocal rank fusion adds to ranks, as published. */
  rrfK: 60,
  /**
   * Number of queries per job of a batch: some seconds of work, so that a failed worker loses
   * little.
   */
  jobSize: 256,
  /** Seconds without a heartbeat after which a job goes to another worker. */
  lease: 60,
} as const

/** The default measures. */
export const usualMeasures: readonly string[] = ['nDCG@10', 'MRR@10', 'MAP@10', 'Recall@10']

/** The policies for labeled documents that are not among a query's candidates. */
export const outsidePolicies = ['drop', 'inject'] as const

/**
 * `drop` leaves out labeled documents that are not among a query's candidates, and queries without
 * other labeled documents; `inject` adds such documents to the candidates.
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

/** The format of labels; `docs/labels.md` shows how to load each format. */
export type LabelFormat = (typeof labelFormats)[number]

export const labelValues = ['probability', 'logit'] as const

/** The kinds of files that `convertFile` reads and writes. */
export const convertedKinds = ['run', 'qrels', 'texts', 'embeddings'] as const

export type ConvertedKind = (typeof convertedKinds)[number]

/**
 * The fusion methods: `rrf` sums reciprocal ranks; `min-max` and `z` sum scores that are normalized
 * per query.
 */
export const fusions = ['rrf', 'min-max', 'z'] as const

/** The name of a fusion. */
export type Fusion = (typeof fusions)[number]

/** Returns the default trials file of `tuneRun`. */
export function studyBeside(out: string): string {
  return `${out}.study.jsonl`
}

/** Returns the trials file of `tuneTraining`. */
export function trainingStudy(out: string): string {
  return join(out, 'study.jsonl')
}

/** Returns the default page of `auditRun` and `calibrateRun`, beside their output. */
export function pageBeside(out: string): string {
  return `${out.replace(/\.(tsv|jsonl?)(\.gz)?$/i, '')}.html`
}
