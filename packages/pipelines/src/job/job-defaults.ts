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
  /** Queries per job of a batch: some seconds of work, so that little is lost with a worker. */
  jobSize: 256,
  /** Seconds without a sign of life after which a job goes to another worker. */
  lease: 60,
} as const

/** The measures that are taken where none are named. */
export const usualMeasures: readonly string[] = ['nDCG@10', 'MRR@10', 'MAP@10', 'Recall@10']
