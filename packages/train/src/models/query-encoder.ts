/// <reference lib="esnext.disposable" preserve="true" />

import { KithError, type Matrix } from '@kith/core'
import { OpenState } from '@kith/core/internal'
import type { InferenceSession, Tensor } from '@kith/encoder/runtime'
import { type DeviceOptions, openGraph, weightFeeds } from '../graph/session.ts'
import type { Query, QueryModel } from './query-model.ts'

const EMBEDDINGS = 'embeddings'
/** Number of queries to run together. */
const BATCH = 64

/**
 * Encodes queries with the current weights of a model, without dropout.
 *
 * ```ts
 * await using encoder = await QueryEncoder.open(await openAdapter('trained'))
 * const { data } = await encoder.encode(judged)
 * ```
 */
export class QueryEncoder {
  readonly #model: QueryModel
  readonly #session: InferenceSession
  readonly #state = new OpenState('the query encoder')
  readonly #weights: Record<string, Tensor>

  private constructor(
    model: QueryModel,
    session: InferenceSession,
    weights: Record<string, Tensor>,
  ) {
    this.#model = model
    this.#session = session
    this.#weights = weights
  }

  static async open(model: QueryModel, options: DeviceOptions = {}): Promise<QueryEncoder> {
    const { graph, embeddings } = model.build()
    graph.output(EMBEDDINGS, embeddings)
    const weights = weightFeeds(graph.parameters, model.weights)
    return new QueryEncoder(model, await openGraph(graph, options), weights)
  }

  /** Encodes queries, one row each. */
  async encode(queries: readonly Query[]): Promise<Matrix> {
    this.#state.check()
    const { dimensions } = this.#model
    const data = new Float32Array(queries.length * dimensions)
    for (let from = 0; from < queries.length; from += BATCH) {
      const part = queries.slice(from, from + BATCH)
      const { feeds } = await this.#model.prepare(part)
      const output = (await this.#session.run({ ...feeds, ...this.#weights }))[EMBEDDINGS]!
      const rows = output.data as Float32Array
      const bad = rows.findIndex((value) => !Number.isFinite(value))
      if (bad >= 0) {
        const { id } = part[Math.floor(bad / dimensions)]!
        const problem = `the embedding of query ${id} contains ${rows[bad]}: the weights have diverged; train with a lower learning rate`
        throw new KithError('DIVERGED', problem)
      }
      data.set(rows, from * dimensions)
    }
    return { data, rows: queries.length, dimensions }
  }

  /** Releases the session; a second call has no effect. */
  async close(): Promise<void> {
    if (this.#state.end()) await this.#session.release()
  }

  /** Same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
