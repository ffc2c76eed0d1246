import type { IdList } from '../io/id-list.ts'

/** The ranking of one query: documents with their scores, best first. */
export interface RankedQuery {
  query: string
  ids: readonly string[]
  scores: ArrayLike<number>
}

/** The rankings that a `RunBuilder` has collected. */
export interface RunParts {
  queries: string[]
  /** Where each query's rows begin in `order`, and at last where the last one's end. */
  starts: Uint32Array
  /** The rows of `documents` and `scores`, query by query, best first. */
  order: Uint32Array
  documents: IdList
  scores: Float64Array
}

/**
 * A run: for each query its documents, ranked by score; ties by document id,
 * descending, compared as bytes (docs/method.md section 8). Ids stay bytes until they are read.
 */
export class Run implements Iterable<RankedQuery> {
  /** The queries in the order of the file. */
  readonly queries: readonly string[]
  /** How many documents all queries have together. */
  readonly size: number
  /** @internal */
  readonly parts: RunParts
  readonly #positions = new Map<string, number>()

  /** @internal */
  constructor(parts: RunParts) {
    this.parts = parts
    this.queries = parts.queries
    this.size = parts.order.length
    parts.queries.forEach((query, position) => {
      this.#positions.set(query, position)
    })
  }

  /** Whether the run has a query. */
  has(query: string): boolean {
    return this.#positions.has(query)
  }

  /** The ranking of a query, or undefined where the run does not have it. */
  get(query: string): RankedQuery | undefined {
    const rows = this.rows(query)
    if (!rows) return undefined
    const ids: string[] = []
    const scores = new Float64Array(rows.length)
    rows.forEach((row, rank) => {
      ids.push(this.parts.documents.get(row))
      scores[rank] = this.parts.scores[row]!
    })
    return { query, ids, scores }
  }

  /** The rows of a query in `parts`, best first. @internal */
  rows(query: string): Uint32Array | undefined {
    const position = this.#positions.get(query)
    if (position === undefined) return undefined
    const { starts, order } = this.parts
    return order.subarray(starts[position]!, starts[position + 1]!)
  }

  *[Symbol.iterator](): Iterator<RankedQuery> {
    for (const query of this.queries) yield this.get(query)!
  }
}
