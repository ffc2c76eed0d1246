import { extendRanking, type MethodSettings, type Ranking, rerank } from '@kith/core'
import { type SharedTexts, textAt } from '@kith/tune'
import { VectorRows, type VectorSource } from '../join/vector-rows.ts'
import type { Job } from '../tasks/job.ts'
import type { RerankTask } from './rerank-tasks.ts'

/** Everything that reranking tasks takes, in a form that can be handed to a worker thread. */
export interface RerankInputs {
  queries: VectorSource
  docs: VectorSource
  queryTexts: SharedTexts | undefined
  docTexts: SharedTexts | undefined
  settings: MethodSettings
}

/** Reranks task after task. */
export class RerankJob implements Job<RerankTask, Ranking> {
  readonly #queries: VectorRows
  readonly #docs: VectorRows
  readonly #inputs: RerankInputs

  private constructor(inputs: RerankInputs, queries: VectorRows, docs: VectorRows) {
    this.#inputs = inputs
    this.#queries = queries
    this.#docs = docs
  }

  static async open(inputs: RerankInputs): Promise<RerankJob> {
    const queries = await VectorRows.open(inputs.queries)
    return new RerankJob(inputs, queries, await VectorRows.open(inputs.docs))
  }

  /** The ranking of all of a task's places. */
  run({ row, text, rows, texts, places }: RerankTask): Ranking {
    const { queryTexts, docTexts, settings } = this.#inputs
    const vector = this.#queries.row(row)
    const vectors = Array.from(rows, (document) => this.#docs.row(document))
    const ranking =
      queryTexts && docTexts
        ? rerank(
            { vector, text: textAt(queryTexts, text) },
            { vectors, texts: Array.from(texts, (number) => textAt(docTexts, number)) },
            settings,
          )
        : rerank(vector, vectors, settings)
    return extendRanking(ranking, places.length)
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
