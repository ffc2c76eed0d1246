import { below, sfcWords } from '@kith/base/random'
import type { DocumentVectors } from '../data/training-query.ts'
import type { DeviceOptions } from '../graph/session.ts'
import { NEVER, type Softmaxes, SoftmaxSession } from './softmax-session.ts'

/** A softmax of a query in a block. */
export interface SoftmaxSet {
  /** The index of the query in its block. */
  query: number
  /** The documents: rows, or the whole corpus. */
  over: ArrayLike<number> | 'corpus'
  /** The weight of the softmax in the loss. */
  weight: number
  /** Lists of rows that a sample of the corpus always includes. */
  near: readonly ArrayLike<number>[]
}

/** Maximum number of documents for a softmax over the whole corpus. */
const EXACT = 300_000
/** Number of sampled documents that represent the rest of a larger corpus. */
const SAMPLE = 1000
/** Number of documents to score together; for a larger corpus, lists are computed separately. */
const DOCUMENTS = 8192
/** Maximum count of numbers in the vectors of queries with separate documents. */
const NUMBERS = 2 ** 22
/** Number of a query's first documents in a sample of the corpus. */
const NEAR = 200

/**
 * Computes the denominators of softmaxes over lists and over the whole corpus, which is read in
 * blocks. If the corpus is too large, the softmax runs over the query's first documents, its
 * target's documents, and 1,000 random documents, which carry the weight of all other documents:
 * the expected sum equals the sum over the corpus, and its expected logarithm is slightly lower.
 */
export class Denominators {
  readonly #documents: DocumentVectors
  readonly #session: SoftmaxSession
  readonly #exact: boolean
  readonly #seed: number
  /** A buffer for the vectors of queries with separate documents. */
  #vectors = new Float32Array()

  private constructor(
    documents: DocumentVectors,
    session: SoftmaxSession,
    { exact, seed }: { exact: number; seed: number },
  ) {
    this.#documents = documents
    this.#session = session
    this.#exact = documents.rows <= exact
    this.#seed = seed
  }

  static async open(
    documents: DocumentVectors,
    { exact = EXACT, seed = 0 }: { exact?: number | undefined; seed?: number | undefined },
    device: DeviceOptions,
  ): Promise<Denominators> {
    const session = await SoftmaxSession.open(documents.dimensions, device)
    return new Denominators(documents, session, { exact, seed })
  }

  /**
   * Adds the mean documents under the softmaxes of a block of queries, multiplied by their weights,
   * to `slopes`.
   *
   * @param queries The block's queries, multiplied by the inverse temperature.
   * @param block The number of the block, which determines the sample, and its slopes, one row per
   * query.
   * @returns The sum of weight · ln Σ eˢ.
   */
  async add(
    sets: readonly SoftmaxSet[],
    queries: Float32Array,
    block: { number: number; slopes: Float32Array },
  ): Promise<number> {
    if (this.#exact && this.#documents.rows <= DOCUMENTS) {
      return this.#addTogether(pairsOf(sets), queries, block.slopes)
    }
    const totals = new Totals(sets, this.#documents.dimensions)
    const corpus = placesOf(sets, ({ over }) => over === 'corpus')
    const lists = placesOf(sets, ({ over }) => over !== 'corpus')
    await this.#addOwn(sets, lists, queries, totals, ({ over }) =>
      Uint32Array.from(over as ArrayLike<number>),
    )
    if (corpus.length > 0) {
      if (this.#exact) await this.#addCorpus(sets, corpus, queries, totals)
      else await this.#addSample(sets, corpus, queries, totals, block.number)
    }
    return totals.finish(block.slopes)
  }

  async close(): Promise<void> {
    await this.#session.close()
  }

  /** Adds softmaxes over a corpus of one block: lists reuse the scores of the whole corpus. */
  async #addTogether(
    pairs: readonly SoftmaxPair[],
    queries: Float32Array,
    slopes: Float32Array,
  ): Promise<number> {
    const { rows, dimensions } = this.#documents
    const longest = Math.max(1, ...pairs.map(({ list }) => list?.over.length ?? 0))
    const places = new Int32Array(pairs.length * longest)
    const offsets = new Float32Array(places.length).fill(NEVER)
    pairs.forEach(({ list }, i) => {
      if (!list) return
      places.set(list.over as ArrayLike<number>, i * longest)
      offsets.fill(0, i * longest, i * longest + list.over.length)
    })
    const weights = {
      all: Float32Array.from(pairs, ({ corpus }) => corpus?.weight ?? 0),
      lists: Float32Array.from(pairs, ({ list }) => list?.weight ?? 0),
    }
    const own = rowsOf(queries, pairs, [...pairs.keys()], dimensions)
    const lists = { places, offsets, weights }
    const documents = this.#documents.read(0, rows)
    const found = await this.#session.overBoth(own, documents, dimensions, lists)
    let value = 0
    pairs.forEach(({ query, corpus, list }, i) => {
      if (corpus) value += corpus.weight * found.logSums[i]!
      if (list) value += list.weight * found.listLogSums[i]!
      const [from, to] = [i * dimensions, query * dimensions]
      for (let k = 0; k < dimensions; k++) slopes[to + k] = slopes[to + k]! + found.means[from + k]!
    })
    return value
  }

  /** Adds softmaxes over all documents, block by block. */
  async #addCorpus(
    sets: readonly SoftmaxSet[],
    places: readonly number[],
    queries: Float32Array,
    totals: Totals,
  ): Promise<void> {
    const { rows, dimensions } = this.#documents
    const own = rowsOf(queries, sets, places, dimensions)
    for (let from = 0; from < rows; from += DOCUMENTS) {
      const block = this.#documents.read(from, Math.min(rows, from + DOCUMENTS))
      const found = await this.#session.overShared(own, block, dimensions)
      totals.add(places, found)
    }
  }

  /** Adds softmaxes over each query's own documents and a sample of the rest of the corpus. */
  async #addSample(
    sets: readonly SoftmaxSet[],
    places: readonly number[],
    queries: Float32Array,
    totals: Totals,
    block: number,
  ): Promise<void> {
    const { rows, dimensions } = this.#documents
    const words = sfcWords(this.#seed, block)
    const sample = Uint32Array.from({ length: SAMPLE }, () => below(rows, words))
    const nearOf = ({ near }: SoftmaxSet) => {
      return Uint32Array.from(new Set(near.flatMap((list) => Array.from(list).slice(0, NEAR))))
    }
    await this.#addOwn(sets, places, queries, totals, nearOf)
    const offsets = new Float32Array(places.length * SAMPLE)
    places.forEach((place, i) => {
      const near = new Set(nearOf(sets[place]!))
      const others = sample.reduce((count, row) => count + (near.has(row) ? 0 : 1), 0)
      const weight = Math.log((rows - near.size) / Math.max(1, others))
      sample.forEach((row, column) => {
        offsets[i * SAMPLE + column] = near.has(row) ? NEVER : weight
      })
    })
    const own = rowsOf(queries, sets, places, dimensions)
    const vectors = this.#documents.gather(sample)
    const found = await this.#session.overShared(own, vectors, dimensions, offsets)
    totals.add(places, found)
  }

  /** Adds softmaxes over separate rows for each query. */
  async #addOwn(
    sets: readonly SoftmaxSet[],
    places: readonly number[],
    queries: Float32Array,
    totals: Totals,
    rowsFor: (set: SoftmaxSet) => Uint32Array,
  ): Promise<void> {
    const { dimensions } = this.#documents
    const lists = new Map(places.map((place) => [place, rowsFor(sets[place]!)]))
    const longest = Math.max(1, ...[...lists.values()].map(({ length }) => length))
    const together = Math.max(1, Math.floor(NUMBERS / (longest * dimensions)))
    const size = together * longest * dimensions
    if (this.#vectors.length < size) this.#vectors = new Float32Array(size)
    for (let from = 0; from < places.length; from += together) {
      const part = places.slice(from, from + together)
      // Values after the end of a list belong to another list; the offsets exclude them.
      const vectors = this.#vectors.subarray(0, part.length * longest * dimensions)
      const offsets = new Float32Array(part.length * longest).fill(NEVER)
      part.forEach((place, i) => {
        const rows = lists.get(place)!
        const at = i * longest
        offsets.fill(0, at, at + rows.length)
        this.#documents.gather(
          rows,
          vectors.subarray(at * dimensions, (at + rows.length) * dimensions),
        )
      })
      const own = rowsOf(queries, sets, part, dimensions)
      const found = await this.#session.overOwn(own, vectors, dimensions, offsets)
      totals.add(part, found)
    }
  }
}

/** Accumulates softmaxes over blocks of documents. */
class Totals {
  readonly #sets: readonly SoftmaxSet[]
  readonly #dimensions: number
  readonly #logSums: Float64Array
  readonly #means: Float32Array

  constructor(sets: readonly SoftmaxSet[], dimensions: number) {
    this.#sets = sets
    this.#dimensions = dimensions
    this.#logSums = new Float64Array(sets.length).fill(-Infinity)
    this.#means = new Float32Array(sets.length * dimensions)
  }

  /** Merges softmaxes over further documents, one row per set, into the totals. */
  add(sets: readonly number[], { logSums, means }: Softmaxes): void {
    sets.forEach((set, row) => {
      this.#add(set, logSums[row]!, means, row)
    })
  }

  #add(set: number, logSum: number, means: Float32Array, row: number): void {
    const [before, size] = [this.#logSums[set]!, this.#dimensions]
    const [more, less] = logSum > before ? [logSum, before] : [before, logSum]
    const total = more + Math.log1p(Math.exp(less - more))
    const [kept, added] = [Math.exp(before - total), Math.exp(logSum - total)]
    for (let i = 0; i < size; i++) {
      const at = set * size + i
      this.#means[at] = kept * this.#means[at]! + added * means[row * size + i]!
    }
    this.#logSums[set] = total
  }

  finish(slopes: Float32Array): number {
    let value = 0
    this.#sets.forEach(({ query, weight }, set) => {
      value += weight * this.#logSums[set]!
      for (let i = 0; i < this.#dimensions; i++) {
        const at = query * this.#dimensions + i
        slopes[at] = slopes[at]! + weight * this.#means[set * this.#dimensions + i]!
      }
    })
    return value
  }
}

/** Softmaxes of one query that are computed together. */
interface SoftmaxPair {
  query: number
  corpus?: SoftmaxSet
  list?: SoftmaxSet
}

/** Pairs adjacent sets of the same query: one over the corpus, one over a list. */
function pairsOf(sets: readonly SoftmaxSet[]): SoftmaxPair[] {
  const pairs: SoftmaxPair[] = []
  for (const set of sets) {
    const kind = set.over === 'corpus' ? 'corpus' : 'list'
    const last = pairs.at(-1)
    if (last?.query === set.query && !last[kind]) last[kind] = set
    else pairs.push({ query: set.query, [kind]: set })
  }
  return pairs
}

function placesOf(
  sets: readonly SoftmaxSet[],
  chosen: (set: SoftmaxSet) => boolean,
): readonly number[] {
  return [...sets.keys()].filter((place) => chosen(sets[place]!))
}

/** Copies the queries of the selected sets, one row per set. */
function rowsOf(
  queries: Float32Array,
  sets: readonly { query: number }[],
  places: readonly number[],
  dimensions: number,
): Float32Array {
  const rows = new Float32Array(places.length * dimensions)
  places.forEach((place, i) => {
    const from = sets[place]!.query * dimensions
    rows.set(queries.subarray(from, from + dimensions), i * dimensions)
  })
  return rows
}
