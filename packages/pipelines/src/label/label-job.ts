import {
  type CandidateViews,
  type GroundTruth,
  type LabelSettings,
  type Labels,
  type QueryViews,
  Reranker,
} from '@kith/core'
import { VectorRows, type VectorSource } from '../join/vector-rows.ts'
import type { Job } from '../tasks/job.ts'
import type { LabelTask } from './label-tasks.ts'

/** Everything that labelling takes. */
export interface LabelInputs {
  queries: VectorSource
  docs: VectorSource
  settings: LabelSettings
}

/** Labels task after task. */
export class LabelJob implements Job<LabelTask, Labels> {
  readonly #method: Reranker
  readonly #rows: ContextRows

  private constructor(rows: ContextRows, settings: LabelSettings) {
    this.#rows = rows
    this.#method = new Reranker(settings)
  }

  static async open({ settings, ...sources }: LabelInputs): Promise<LabelJob> {
    return new LabelJob(await ContextRows.open(sources), settings)
  }

  run(task: LabelTask): Labels {
    const { query, candidates } = this.#rows.of(task)
    return this.#method.smoothLabels(query, candidates, groundTruthOf(task))
  }

  async close(): Promise<void> {
    await this.#rows.close()
  }

  /** As `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

/** The ground truth stands first among the candidates of a label task. */
export function groundTruthOf({ grades }: LabelTask): GroundTruth {
  return { candidates: [...grades.keys()], grades }
}

/** The contexts of label tasks. */
export class ContextRows {
  readonly #queries: VectorRows
  readonly #docs: VectorRows

  private constructor(queries: VectorRows, docs: VectorRows) {
    this.#queries = queries
    this.#docs = docs
  }

  static async open(sources: Pick<LabelInputs, 'queries' | 'docs'>): Promise<ContextRows> {
    const queries = await VectorRows.open(sources.queries)
    return new ContextRows(queries, await VectorRows.open(sources.docs))
  }

  of({ row, rows, texts }: LabelTask): { query: QueryViews; candidates: CandidateViews } {
    const vector = this.#queries.row(row)
    const vectors = Array.from(rows, (i) => this.#docs.row(i))
    if (!texts) return { query: { vector }, candidates: { vectors } }
    const [text, ...others] = texts
    return { query: { vector, text }, candidates: { vectors, texts: others } }
  }

  async close(): Promise<void> {
    await this.#queries.close()
    await this.#docs.close()
  }

  /** As `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
