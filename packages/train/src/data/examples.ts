import type { Matrix } from '@kith/core'
import type { QueryEncoder } from '../models/query-encoder.ts'
import { Batches } from './batches.ts'
import type { NegativeFilter } from './negatives.ts'
import type { Labeller, TargetList } from './targets.ts'
import type { TrainingQuery } from './training-query.ts'

/** Finds candidates for embeddings of queries: the rows of documents, best first. */
export type Search = (queries: Matrix) => Promise<readonly ArrayLike<number>[]>

/** Makes the labels of a query for other candidates than those it had. */
export type Relabel = (query: TrainingQuery) => NonNullable<TrainingQuery['labels']>

/** The queries and targets of a batch, and the time that making the targets took. */
export interface ExampleBatch {
  queries: TrainingQuery[]
  lists: TargetList[]
  milliseconds: number
}

/** The training queries in the order in which they are learned from, with their candidates of the moment. */
export class Examples {
  /** By query; only where they are others than the query's own. */
  candidates: readonly Uint32Array[] | undefined
  readonly #batches: Batches
  readonly #relabelled = new Map<number, TrainingQuery['labels']>()

  constructor(
    readonly queries: readonly TrainingQuery[],
    readonly encoder: QueryEncoder,
    readonly labeller: Labeller,
    readonly search: Search,
    readonly negatives: NegativeFilter,
    readonly relabel: Relabel | undefined,
    { batchSize, seed }: { batchSize: number; seed: number },
  ) {
    this.#batches = new Batches(queries.length, batchSize, seed)
  }

  /** The batch with a number, the first being 0, and its targets. */
  async at(batch: number): Promise<ExampleBatch> {
    const start = performance.now()
    const queries = this.#batches.at(batch).map((index) => this.#query(index))
    const { labeller, encoder } = this
    const rows = labeller.needsEmbedding ? await encoder.encode(queries) : undefined
    const lists = queries.map((query, i) => {
      return labeller.label(query, rows && rowOf(rows, i))
    })
    return { queries, lists, milliseconds: performance.now() - start }
  }

  /** Takes documents that are no negatives out of the candidates, before the first step. */
  async begin(): Promise<void> {
    if (!this.negatives.active) return
    const { needsEmbedding } = this.negatives
    const embeddings = needsEmbedding ? await this.encoder.encode(this.queries) : undefined
    this.#filter(
      this.queries.map(({ retrieved }) => retrieved),
      embeddings,
    )
  }

  /** Searches all queries' candidates again, with the model as it is now. */
  async refresh(): Promise<void> {
    const embeddings = await this.encoder.encode(this.queries)
    this.#filter(await this.search(embeddings), embeddings)
    this.#relabelled.clear()
  }

  #filter(lists: readonly ArrayLike<number>[], embeddings: Matrix | undefined): void {
    this.candidates = lists.map((rows, q) =>
      this.negatives.active
        ? this.negatives.apply(this.queries[q]!, rows, embeddings && rowOf(embeddings, q))
        : Uint32Array.from(rows),
    )
  }

  /** A query with its candidates of the moment, and with labels for them. */
  #query(index: number): TrainingQuery {
    const query = this.queries[index]!
    if (!this.candidates) return query
    const moved = { ...query, retrieved: this.candidates[index]! }
    if (!this.relabel) return moved
    const labels = this.#relabelled.get(index) ?? this.relabel(moved)
    this.#relabelled.set(index, labels)
    return { ...moved, labels }
  }
}

function rowOf({ data, dimensions }: Matrix, row: number): Float32Array {
  return data.subarray(row * dimensions, (row + 1) * dimensions)
}
