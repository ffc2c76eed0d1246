import { emptyError, lineError } from '@kith/base'
import { KithError } from '@kith/core'
import { IdIndex } from '../io/id-index.ts'
import { IdList } from '../io/id-list.ts'
import { LineKernel } from '../io/line-kernel.ts'
import type { RowBlock, RowSink } from './run-rows.ts'

/** The verdicts of the kernel on a ranking; another one means that it is not sorted. */
const RANKED = 0
const TWICE = 2

/** Maximum number of rows to check at a time, unless a query has more. */
const CHECKED = 1 << 16

let kernel: LineKernel | undefined

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
  /** The number of each query. */
  readonly #queries = new Map<string, number>()
  /** Groups of rows that follow one another: the number of their query, and the first row. */
  readonly #owners: number[] = []
  readonly #firsts: number[] = []
  #scores = new Float64Array(1 << 10)
  #lines = new Uint32Array(1 << 10)
  #current: string | undefined

  /** @param file The name in errors; empty if the rows come from memory. */
  constructor(readonly file = '') {}

  /**
   * Sets the query of the rows that follow.
   *
   * @param first The number of the first of these rows; default: the next row.
   */
  query(query: string, first = this.#documents.length): void {
    // Files are nearly always grouped by query.
    if (query === this.#current) return
    this.#current = query
    let number = this.#queries.get(query)
    if (number === undefined) {
      number = this.#queries.size
      this.#queries.set(query, number)
    }
    this.#owners.push(number)
    this.#firsts.push(first)
  }

  /** Adds a document of the current query. */
  row(bytes: Uint8Array, from: number, to: number, score: number, line: number): void {
    const row = this.#documents.length
    this.#reserve(1)
    this.#documents.push(bytes, from, to)
    this.#scores[row] = score
    this.#lines[row] = line
  }

  /** Adds the rows of a block: all, or some of its groups. */
  rows(block: RowBlock, from = 0, to = block.queries.length): void {
    const row = this.#documents.length
    const [first, end] = [block.firsts[from]!, block.firsts[to]!]
    for (let group = from; group < to; group++) {
      this.query(block.queries[group]!, block.firsts[group]! - first + row)
    }
    this.#reserve(end - first)
    this.#documents.pushAll(block.ids, block.starts, first, end)
    this.#scores.set(block.scores.subarray(first, end), row)
    this.#lines.set(block.lines.subarray(first, end), row)
  }

  /** Adds a whole ranking. */
  add({ query, ids, scores }: RankedQuery): void {
    this.query(query)
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
    this.#rank(starts, order)
    const scores = this.#scores.subarray(0, size)
    return new Run({
      queries: [...this.#queries.keys()],
      starts,
      order,
      documents: this.#documents,
      scores,
    })
  }

  /** Returns the first row of each query after grouping. */
  #starts(): Uint32Array {
    const starts = new Uint32Array(this.#queries.size + 1)
    this.#owners.forEach((query, group) => {
      starts[query + 1]! += this.#end(group) - this.#firsts[group]!
    })
    for (let query = 1; query < starts.length; query++) starts[query]! += starts[query - 1]!
    return starts
  }

  /** Groups the rows by query, in the order of the file within each query. */
  #grouped(starts: Uint32Array): Uint32Array {
    const next = starts.slice()
    const order = new Uint32Array(this.#documents.length)
    this.#owners.forEach((query, group) => {
      const end = this.#end(group)
      let at = next[query]!
      for (let row = this.#firsts[group]!; row < end; row++) order[at++] = row
      next[query] = at
    })
    return order
  }

  /** Returns the end of a group's rows. */
  #end(group: number): number {
    return this.#firsts[group + 1] ?? this.#documents.length
  }

  /** Ranks the documents of each query; throws if a query has one twice. */
  #rank(starts: Uint32Array, order: Uint32Array): void {
    // Most files are grouped and ranked already, and checking that is far cheaper than sorting.
    const grouped = this.#owners.length === this.#queries.size
    const verdicts = grouped ? this.#check(starts) : undefined
    let query = 0
    for (const name of this.#queries.keys()) {
      const verdict = verdicts?.[query] ?? TWICE
      if (verdict !== RANKED) {
        const rows = order.subarray(starts[query]!, starts[query + 1]!)
        if (verdict === TWICE) this.#refuseTwice(rows, name)
        rows.sort((a, b) => this.#scores[b]! - this.#scores[a]! || this.#documents.compare(b, a))
      }
      query++
    }
  }

  /** Returns the kernel's verdict on each query; see assembly/check-rankings.ts. */
  #check(starts: Uint32Array): Uint8Array {
    kernel ??= new LineKernel()
    const queries = starts.length - 1
    const verdicts = new Uint8Array(queries)
    for (let from = 0; from < queries; ) {
      let to = from + 1
      let most = starts[to]! - starts[from]!
      while (to < queries && starts[to + 1]! - starts[from]! <= CHECKED) {
        most = Math.max(most, starts[to + 1]! - starts[to]!)
        to++
      }
      kernel.release()
      const [first, end] = [starts[from]!, starts[to]!]
      const ids = kernel.placeIds(this.#documents, first, end)
      const scores = kernel.placeDoubles(this.#scores.subarray(first, end))
      const firsts = kernel.placeWords(starts.subarray(from, to + 1))
      const found = kernel.take(to - from)
      // The table is at most four times the rows and two more.
      const table = kernel.take((most + 1) * 16)
      kernel.exports.checkRankings(ids.ids, ids.starts, scores, firsts, to - from, table, found)
      verdicts.set(kernel.bytes.subarray(found, found + to - from), from)
      from = to
    }
    return verdicts
  }

  #refuseTwice(rows: Uint32Array, query: string): void {
    const seen = new IdIndex(this.#documents, rows.length)
    for (const row of rows) {
      const first = seen.add(row)
      if (first === row) continue
      const what = `query ${query} has document ${this.#documents.get(row)} twice`
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
  }
}

function copied<T extends Float64Array | Uint32Array>(from: T, to: T): T {
  to.set(from)
  return to
}
