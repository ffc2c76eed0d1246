/** Work on many queries, shared by many machines. */
export interface Batch {
  name: string
  /** The kind of work on each query; the worker's handler knows the kinds. */
  kind: string
  /** Everything besides the queries that decides the results. */
  settings: Readonly<Record<string, unknown>>
  /** Notes of the program that submitted it, such as file names; they do not change results. */
  origin: Readonly<Record<string, unknown>>
}

/** One query of a batch, with the inputs of the work on it in the form that its kind defines. */
export interface BatchItem {
  query: string
  body: Uint8Array
}

/** The result of one query. */
export interface BatchResult {
  query: string
  body: Uint8Array
}

/** How far a batch is. */
export interface BatchProgress extends Batch {
  queries: number
  done: number
  /** Jobs that are being worked on. */
  active: number
  /** Jobs that failed three times and were set aside. */
  failures: readonly BatchFailure[]
  /** Queries per second over the last minute of work; 0 before there was any. */
  rate: number
  /** Seconds until the end at that rate; undefined where it is unknown. */
  secondsLeft: number | undefined
}

/** A job that was set aside. */
export interface BatchFailure {
  /**
   * Places of its queries in the batch: the first, and the one behind the last. Undefined where
   * the job was changed in the database.
   */
  from: number | undefined
  to: number | undefined
  message: string
}
