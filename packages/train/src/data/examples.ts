import type { Matrix } from '@kith/core'
import type { QueryEncoder } from '../models/query-encoder.ts'
import { Batches } from './batches.ts'
import type { Labeller, TargetList } from './targets.ts'
import type { TrainingQuery } from './training-query.ts'

/** Finds candidates for embeddings of queries: the rows of documents, best first. */
export type Search = (queries: Matrix) => Promise<readonly ArrayLike<number>[]>

/** The queries and targets of a batch, and the time that making the targets took. */
export interface ExampleBatch {
  queries: TrainingQuery[]
  lists: TargetList[]
  milliseconds: number
}

/** The training queries in the order in which they are learned from, with their candidates of the moment. */
export class Examples {
  /** By query; only after candidates were searched again. */
  candidates: readonly Uint32Array[] | undefined
  readonly #batches: Batches

  constructor(
    readonly queries: readonly TrainingQuery[],
    readonly encoder: QueryEncoder,
    readonly labeller: Labeller,
    readonly search: Search,
    { batchSize, seed }: { batchSize: number; seed: number },
  ) {
    this.#batches = new Batches(queries.length, batchSize, seed)
  }

  /** The batch with a number, the first being 0, and its targets. */
  async at(batch: number): Promise<ExampleBatch> {
    const start = performance.now()
    const queries = this.#batches.at(batch).map((index) => {
      const query = this.queries[index]!
      return this.candidates ? { ...query, retrieved: this.candidates[index]! } : query
    })
    const { labeller, encoder } = this
    const rows = labeller.needsEmbedding ? await encoder.encode(queries) : undefined
    const lists = queries.map((query, i) => {
      const own = rows?.data.subarray(i * rows.dimensions, (i + 1) * rows.dimensions)
      return labeller.label(query, own)
    })
    return { queries, lists, milliseconds: performance.now() - start }
  }

  /** Searches all queries' candidates again, with the model as it is now. */
  async refresh(): Promise<void> {
    const found = await this.search(await this.encoder.encode(this.queries))
    this.candidates = found.map((rows) => Uint32Array.from(rows))
  }
}
