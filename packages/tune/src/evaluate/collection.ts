import type { TermStatistics } from '@kith/core'
import type { SharedTexts } from '@kith/ir/internal'

/** The texts of queries and documents, and how often their terms occur in the collection, if that is known. */
export interface TrialTexts {
  queries: SharedTexts
  docs: SharedTexts
  statistics?: TermStatistics | undefined
}

/** A judged query with its candidates. */
export interface TrialQuery {
  id: string
  /** Queries of one group never stand on both sides of a fold; by default each is its own. */
  group?: string | undefined
  /** Its number among the vectors and texts of the queries. */
  row: number
  /** The candidates that can be reranked, best first, as numbers among `docs`. */
  docs: Uint32Array
  /** Their places in the run, ascending. */
  places: Uint32Array
  /** The grade of every place of the run; negative where there is no judgment. */
  grades: Float64Array
  /** The grades of all judged documents, highest first; none negative. */
  ideal: Float64Array
}

/** Judged queries with all that reranking them takes, on memory that worker threads can share. */
export interface TrialCollection {
  dimensions: number
  list: readonly TrialQuery[]
  /** The vectors, one behind the other. */
  queries: Float32Array
  docs: Float32Array
  /** The texts of the same, once for each way to make terms that is tried; the first is the usual one. */
  texts?: readonly TrialTexts[] | undefined
}
