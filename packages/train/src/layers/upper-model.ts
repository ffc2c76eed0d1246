import { rm } from 'node:fs/promises'
import { KithError } from '@kith/core'
import { buildUpper, type Drop, embeddings, keep } from '@kith/encoder/internal'
import { Tensor } from '@kith/encoder/runtime'
import type { DeviceOptions } from '../graph/session.ts'
import type { EncoderModel } from '../models/encoder-model.ts'
import {
  type Query,
  type QueryBatch,
  type QueryGraph,
  type SplitHooks,
  type SplitModel,
  tokenMask,
} from '../models/query-model.ts'
import { KeptStates } from './kept-states.ts'
import { LowerLayers, type StatePlace } from './lower-layers.ts'

/**
 * An encoder that trains only its uppermost layers. They read the hidden states of the layers below
 * from a file, which is written when the first queries are prepared.
 */
export class UpperModel implements SplitModel {
  #opened: Promise<{ states: KeptStates; places: ReadonlyMap<string, StatePlace> }> | undefined

  /** @param queries All queries that will be prepared. */
  constructor(
    readonly whole: EncoderModel,
    readonly file: string,
    readonly queries: readonly Query[],
    readonly options: DeviceOptions & SplitHooks,
  ) {}

  get dimensions(): number {
    return this.whole.dimensions
  }

  get weights(): ReadonlyMap<string, Float32Array> {
    return this.whole.weights
  }

  get shapes(): ReadonlyMap<string, readonly number[]> {
    return this.whole.shapes
  }

  get trained(): ReadonlySet<string> {
    return this.whole.trained
  }

  get identity(): Readonly<Record<string, unknown>> {
    return this.whole.identity
  }

  get maxTokens(): number {
    return this.whole.maxTokens
  }

  countCut(queries: readonly Query[]): number {
    return this.whole.countCut(queries)
  }

  build(drop: Drop = keep): QueryGraph {
    const { checkpoint, lowest } = this.whole
    const { graph, mask, hidden } = buildUpper(checkpoint.config, { drop, from: lowest })
    return { graph, embeddings: embeddings(hidden, mask, checkpoint.head) }
  }

  async prepare(queries: readonly Query[]): Promise<QueryBatch> {
    this.#opened ??= this.#open()
    const { states, places } = await this.#opened
    const own = queries.map(({ id, text }) => {
      const place = places.get(text!)
      if (place) return place
      throw new KithError('BAD_INPUT', `query ${id} is not a query of this training`)
    })
    const lengths = own.map(({ tokens }) => tokens)
    const { mask, length } = tokenMask(lengths)
    const width = this.dimensions
    const hidden = new Float32Array(queries.length * length * width)
    await Promise.all(
      own.map(({ token, tokens }, query) => {
        const from = query * length * width
        return states.read(token * width, hidden.subarray(from, from + tokens * width))
      }),
    )
    const feeds = {
      hidden_states: new Tensor('float32', hidden, [queries.length, length, width]),
      attention_mask: mask,
    }
    return { size: queries.length, length, feeds }
  }

  save(folder: string): Promise<void> {
    return this.whole.save(folder)
  }

  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined)
    this.#opened = undefined
    await opened?.states.close()
  }

  async remove(): Promise<void> {
    await this.close()
    await rm(this.file, { force: true })
  }

  async #open(): Promise<{ states: KeptStates; places: ReadonlyMap<string, StatePlace> }> {
    const lower = new LowerLayers(this.whole, this.queries, this.options)
    try {
      return { states: await KeptStates.open(this.file, lower), places: lower.places }
    } finally {
      await lower.close()
    }
  }
}
