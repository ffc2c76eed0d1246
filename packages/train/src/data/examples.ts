import { sfcWords, shuffle } from '@kith/base/random'
import type { Matrix } from '@kith/core'
import type { QueryEncoder } from '../models/query-encoder.ts'
import type { NegativeFilter } from './negatives.ts'
import type { Labeler, TargetList } from './targets.ts'
import type { TrainingQuery } from './training-query.ts'

/** Finds candidates for query embeddings: rows of documents, best first. */
export type Search = (queries: Matrix) => Promise<readonly ArrayLike<number>[]>

/** Computes the labels of a query for new candidates. */
export type Relabel = (query: TrainingQuery) => NonNullable<TrainingQuery['labels']>

/** The queries and targets of a batch, and the time spent on computing the targets. */
export interface ExampleBatch {
  queries: TrainingQuery[]
  lists: TargetList[]
  milliseconds: number
}

/** The inputs of `Examples`. */
export interface ExamplesParts {
  queries: readonly TrainingQuery[]
  encoder: QueryEncoder
  labeler: Labeler
  search: Search
  negatives: NegativeFilter
  /** Computes labels for new candidates; without it, queries keep their labels. */
  relabel?: Relabel | undefined
  batchSize: number
  seed: number
}

/** The training queries in training order, with their current candidates. */
export class Examples {
  /** New candidates by query, if they differ from the query's own candidates. */
  candidates: readonly Uint32Array[] | undefined
  readonly #parts: ExamplesParts
  readonly #batches: Batches
  readonly #relabeled = new Map<number, TrainingQuery['labels']>()

  constructor(parts: ExamplesParts) {
    this.#parts = parts
    this.#batches = new Batches(parts.queries.length, parts.batchSize, parts.seed)
  }

  /** Returns the batch with a number, counted from 0, and its targets. */
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

  /** Removes documents that must not be negatives from the candidates, before the first step. */
  async begin(): Promise<void> {
    const { negatives, queries, encoder } = this.#parts
    if (!negatives.active) return
    const embeddings = negatives.needsEmbedding ? await encoder.encode(queries) : undefined
    this.#filter(
      queries.map(({ retrieved }) => retrieved),
      embeddings,
    )
  }

  /** Searches the candidates of all queries again with the current model. */
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

  /** Returns a query with its current candidates, and with labels for them. */
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
 * The order of the examples: epoch after epoch, each shuffled by the seed and the epoch's number,
 * as one endless sequence that is cut into batches. So a training can resume from the number of a
 * batch alone.
 */
export class Batches {
  #epoch = -1
  #order: Uint32Array = new Uint32Array()

  constructor(
    readonly examples: number,
    readonly size: number,
    readonly seed: number,
  ) {}

  /** Returns the examples of a batch; the first batch is 0. */
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

/**
 * Returns the queries that a training encodes: all queries, or only the queries of its batches if
 * it ends before it has used all.
 */
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
  // Searching for new candidates and choosing negatives by score encode all queries.
  const all = settings.refreshEvery > 0 || settings.negativesBelow !== null
  if (all || count * batchSize >= queries.length) return queries
  const batches = new Batches(queries.length, batchSize, seed)
  return Array.from({ length: count }, (_, batch) => batches.at(batch))
    .flat()
    .map((index) => queries[index]!)
}
