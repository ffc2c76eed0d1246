import { emptyError, lineError } from '@kith/base'
import { KithError } from '@kith/core'
import { IdIndex } from '../io/id-index.ts'
import { IdList } from '../io/id-list.ts'
import { RunKernel } from './run-kernel.ts'
import type { RowBlock, RowSink } from './run-rows.ts'

/** The answers of the kernel's check of a ranking; in between, the rows are not sorted. */
const RANKED = 0
const TWICE = 2

let kernel: RunKernel | undefined

/** The number of queries that are indexed without growing. */
const QUERIES = 256

/** The ranking of one query: documents with their scores, best first. */
export interface RankedQuery {
  query: string
  ids: readonly string[]
  scores: ArrayLike<number>
  /** Further values of the documents, which formats with named columns store. */
  columns?: RunColumns | undefined
}

/** The columns that a run may have besides the score. */
export const runColumns = ['similarity', 'relevance'] as const

/** A value per document of a ranking; NaN or undefined for a document without one. */
export type RunColumns = Partial<Record<(typeof runColumns)[number], ArrayLike<number>>>

/** The rankings that a `RunBuilder` has collected. */
export interface RunParts {
  queries: string[]
  /** The first row of each query in `order`, and at last the end of the last query's rows. */
  starts: Uint32Array
  /** The rows of `documents` and `scores`, query by query, best first. */
  order: Uint32Array
  documents: IdList
  scores: Float64Array
}

/**
 * A run: the documents of each query, ranked by score; ties by document id, descending, compared as
 * bytes (docs/method.md section 8). Ids stay bytes until they are read.
 */
export class Run implements Iterable<RankedQuery> {
  /** The queries in the order of the file. */
  readonly queries: readonly string[]
  /** The total number of documents of all queries. */
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

  /** Returns whether the run has a query. */
  has(query: string): boolean {
    return this.#positions.has(query)
  }

  /** Returns the ranking of a query; undefined if the run does not have it. */
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

  /** Returns the rows of a query in `parts`, best first. @internal */
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

/**
 * Collects the rows of a run in any order; `finish` groups them by query and ranks them.
 *
 * ```ts
 * const builder = new RunBuilder()
 * builder.add({ query: 'q1', ids: ['d1', 'd2'], scores: [0.9, 0.4] })
 * const run = builder.finish()
 * ```
 */
export class RunBuilder implements RowSink {
  readonly #documents = new IdList()
  readonly #queries = new IdList()
  readonly #queryIndex = new IdIndex(this.#queries, QUERIES)
  readonly #lookup = new IdList()
  #scores = new Float64Array(1 << 10)
  #lines = new Uint32Array(1 << 10)
  /** The query of each row, as its index in `#queries`. */
  #owners = new Uint32Array(1 << 10)
  #current = -1

  /** @param file The name in errors; empty if the rows come from memory. */
  constructor(readonly file = '') {}

  /** Sets the query of the rows that follow. */
  query(bytes: Uint8Array, from: number, to: number): void {
    // Files are nearly always grouped by query: then this comparison is enough.
    if (this.#current >= 0 && this.#queries.equalsBytes(this.#current, bytes, from, to)) return
    this.#lookup.clear()
    this.#lookup.push(bytes, from, to)
    const known = this.#queryIndex.find(this.#lookup, 0)
    if (known >= 0) this.#current = known
    else {
      this.#queries.push(bytes, from, to)
      this.#current = this.#queryIndex.add(this.#queries.length - 1)
    }
  }

  /** Adds a document of the current query. */
  row(bytes: Uint8Array, from: number, to: number, score: number, line: number): void {
    const row = this.#documents.length
    this.#reserve(1)
    this.#documents.push(bytes, from, to)
    this.#scores[row] = score
    this.#lines[row] = line
    this.#owners[row] = this.#current
  }

  /** Adds documents of the current query. */
  rows({ ids, starts, scores, lines }: RowBlock, from: number, to: number): void {
    const row = this.#documents.length
    this.#reserve(to - from)
    this.#documents.pushAll(ids, starts, from, to)
    this.#scores.set(scores.subarray(from, to), row)
    this.#lines.set(lines.subarray(from, to), row)
    this.#owners.fill(this.#current, row, row + to - from)
  }

  /** Adds a whole ranking. */
  add({ query, ids, scores }: RankedQuery): void {
    const name = Buffer.from(query)
    this.query(name, 0, name.length)
    ids.forEach((id, i) => {
      const bytes = Buffer.from(id)
      this.row(bytes, 0, bytes.length, scores[i]!, 0)
    })
  }

  /** Builds the run with every query's documents ranked. Throws if a query has a document twice. */
  finish(): Run {
    const size = this.#documents.length
    if (size === 0 && this.file !== '') throw emptyError(this.file, 'rows')
    const starts = this.#starts()
    const order = this.#grouped(starts)
    for (let query = 0; query < this.#queries.length; query++) {
      this.#rank(order.subarray(starts[query]!, starts[query + 1]!), query)
    }
    const queries = Array.from({ length: this.#queries.length }, (_, i) => this.#queries.get(i))
    const scores = this.#scores.subarray(0, size)
    return new Run({ queries, starts, order, documents: this.#documents, scores })
  }

  /** Returns the first row of each query after grouping. */
  #starts(): Uint32Array {
    const starts = new Uint32Array(this.#queries.length + 1)
    for (let row = 0; row < this.#documents.length; row++) starts[this.#owners[row]! + 1]!++
    for (let query = 1; query < starts.length; query++) starts[query]! += starts[query - 1]!
    return starts
  }

  /** Groups the rows by query, in the order of the file within each query. */
  #grouped(starts: Uint32Array): Uint32Array {
    const next = starts.slice()
    const order = new Uint32Array(this.#documents.length)
    for (let row = 0; row < order.length; row++) order[next[this.#owners[row]!]!++] = row
    return order
  }

  /** Ranks the documents of a query; throws if it has one twice. */
  #rank(rows: Uint32Array, query: number): void {
    // Most files are grouped and ranked already, and checking that is far cheaper than sorting.
    const [first = 0] = rows
    const grouped = rows[rows.length - 1] === first + rows.length - 1
    const found = grouped ? this.#check(first, first + rows.length) : TWICE
    if (found === TWICE) this.#refuseTwice(rows, query)
    if (found === RANKED) return
    rows.sort((a, b) => this.#scores[b]! - this.#scores[a]! || this.#documents.compare(b, a))
  }

  /** Checks rows that follow one another; see assembly/check-ranking.ts. */
  #check(from: number, to: number): number {
    kernel ??= new RunKernel()
    kernel.release()
    const { ids, starts } = kernel.placeIds(this.#documents, from, to)
    const scores = kernel.placeDoubles(this.#scores.subarray(from, to))
    const slots = 2 ** Math.ceil(Math.log2((to - from) * 2 + 2))
    const table = kernel.take(slots * 4)
    return kernel.exports.checkRanking(ids, starts, scores, to - from, table, slots - 1)
  }

  #refuseTwice(rows: Uint32Array, query: number): void {
    const seen = new IdIndex(this.#documents, rows.length)
    for (const row of rows) {
      const first = seen.add(row)
      if (first === row) continue
      const what = `query ${this.#queries.get(query)} has document ${this.#documents.get(row)} twice`
      if (this.#lines[row] === 0) throw new KithError('BAD_INPUT', what)
      throw lineError(this.file, this.#lines[row]!, `${what}, first in line ${this.#lines[first]}`)
    }
  }

  #reserve(rows: number): void {
    const needed = this.#documents.length + rows
    if (needed <= this.#scores.length) return
    const capacity = Math.max(needed, this.#scores.length * 2)
    this.#scores = copied(this.#scores, new Float64Array(capacity))
    this.#lines = copied(this.#lines, new Uint32Array(capacity))
    this.#owners = copied(this.#owners, new Uint32Array(capacity))
  }
}

function copied<T extends Float64Array | Uint32Array>(from: T, to: T): T {
  to.set(from)
  return to
}
