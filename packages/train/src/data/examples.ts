import { sfcWords, shuffle } from '@kith/base/random'
import type { Matrix } from '@kith/core'
import type { QueryEncoder } from '../models/query-encoder.ts'
import type { NegativeFilter } from './negatives.ts'
import type { Labeler, TargetList } from './targets.ts'
import type { TrainingQuery } from './training-query.ts'

/** Finds candidates for embeddings of queries: the rows of documents, best first. */
export type Search = (queries: Matrix) => Promise<readonly ArrayLike<number>[]>

/** Makes the labels of a query for new candidates. */
export type Relabel = (query: TrainingQuery) => NonNullable<TrainingQuery['labels']>

/** The queries and targets of a batch, and the time that making the targets took. */
export interface ExampleBatch {
  queries: TrainingQuery[]
  lists: TargetList[]
  milliseconds: number
}

/** The parts that examples are made with. */
export interface ExamplesParts {
  queries: readonly TrainingQuery[]
  encoder: QueryEncoder
  labeler: Labeler
  search: Search
  negatives: NegativeFilter
  /** Makes labels for new candidates; without it, queries keep the labels they have. */
  relabel?: Relabel | undefined
  batchSize: number
  seed: number
}

/** The training queries in the order in which they are learned from, with their candidates of the moment. */
export class Examples {
  /** New candidates by query, if they differ from the query's own. */
  candidates: readonly Uint32Array[] | undefined
  readonly #parts: ExamplesParts
  readonly #batches: Batches
  readonly #relabeled = new Map<number, TrainingQuery['labels']>()

  constructor(parts: ExamplesParts) {
    this.#parts = parts
    this.#batches = new Batches(parts.queries.length, parts.batchSize, parts.seed)
  }

  /** The batch with a number, the first being 0, and its targets. */
  async at(batch: number): Promise<ExampleBatch> {
    const start = performance.now()
    const queries = this.#batches.at(batch).map((index) => this.#query(index))
    const { labeler, encoder } = this.#parts
    const rows = labeler.needsEmbedding ? await encoder.encode(queries) : undefined
    const lists = queries.map((query, i) => {
      return labeler.label(query, rows && rowOf(rows, i))
    })
    return { queries, lists, milliseconds: performance.now() - start }
  }

  /** Takes documents that are no negatives out of the candidates, before the first step. */
  async begin(): Promise<void> {
    const { negatives, queries, encoder } = this.#parts
    if (!negatives.active) return
    const embeddings = negatives.needsEmbedding ? await encoder.encode(queries) : undefined
    this.#filter(
      queries.map(({ retrieved }) => retrieved),
      embeddings,
    )
  }

  /** Searches all queries' candidates again with the current model. */
  async refresh(): Promise<void> {
    const { queries, encoder, search } = this.#parts
    const embeddings = await encoder.encode(queries)
    this.#filter(await search(embeddings), embeddings)
    this.#relabeled.clear()
  }

  #filter(lists: readonly ArrayLike<number>[], embeddings: Matrix | undefined): void {
    const { negatives, queries } = this.#parts
    this.candidates = lists.map((rows, q) =>
      negatives.active
        ? negatives.apply(queries[q]!, rows, embeddings && rowOf(embeddings, q))
        : Uint32Array.from(rows),
    )
  }

  /** A query with its candidates of the moment, and with labels for them. */
  #query(index: number): TrainingQuery {
    const { queries, relabel } = this.#parts
    const query = queries[index]!
    if (!this.candidates) return query
    const moved = { ...query, retrieved: this.candidates[index]! }
    if (!relabel) return moved
    const labels = this.#relabeled.get(index) ?? relabel(moved)
    this.#relabeled.set(index, labels)
    return { ...moved, labels }
  }
}

function rowOf({ data, dimensions }: Matrix, row: number): Float32Array {
  return data.subarray(row * dimensions, (row + 1) * dimensions)
}

/**
 * The order in which examples are seen: epoch after epoch, each shuffled by the seed and its own
 * number, as one endless row that batches are cut from. So the number of a batch is all that has to
 * be remembered to resume after it.
 */
export class Batches {
  #epoch = -1
  #order: Uint32Array = new Uint32Array()

  constructor(
    readonly examples: number,
    readonly size: number,
    readonly seed: number,
  ) {}

  /** The examples of a batch, the first batch being 0. */
  at(batch: number): number[] {
    return Array.from({ length: this.size }, (_, i) => this.#example(batch * this.size + i))
  }

  #example(place: number): number {
    const epoch = Math.floor(place / this.examples)
    if (epoch !== this.#epoch) {
      const inOrder = new Uint32Array(this.examples).map((_, i) => i)
      this.#order = shuffle(inOrder, sfcWords(this.seed, epoch))
      this.#epoch = epoch
    }
    return this.#order[place % this.examples]!
  }
}

/** The queries that a training encodes: all, or the queries of its batches if it ends before it has seen all. */
export function seenQueries<Q>(
  queries: readonly Q[],
  settings: {
    steps: number
    batchSize: number
    gradientAccumulation: number
    refreshEvery: number
    negativesBelow: number | null
    seed: number
  },
): readonly Q[] {
  const { steps, batchSize, gradientAccumulation, seed } = settings
  const count = steps * gradientAccumulation
  // A search for new candidates, and scores that choose negatives, encode all.
  const all = settings.refreshEvery > 0 || settings.negativesBelow !== null
  if (all || count * batchSize >= queries.length) return queries
  const batches = new Batches(queries.length, batchSize, seed)
  return Array.from({ length: count }, (_, batch) => batches.at(batch))
    .flat()
    .map((index) => queries[index]!)
}
