import { throwIfAborted } from '@kith/core/internal'
import { buildLower, planBatches } from '@kith/encoder/internal'
import type { InferenceSession, Tensor } from '@kith/encoder/runtime'
import { type DeviceOptions, openGraph, weightFeeds } from '../graph/session.ts'
import type { EncoderModel } from '../models/encoder-model.ts'
import type { Query, SplitHooks } from '../models/query-model.ts'
import { Digest } from '../run/digest.ts'
import type { StateSource } from './kept-states.ts'

const HIDDEN = 'hidden'
/** Number of text batches per part of the file: some megabytes. */
const BATCHES_PER_PART = 16
/** Change this whenever the same inputs give different numbers or a different order. */
const FORMAT = 'lower layers 1'

/**
 * The location of a text's hidden states in the file: its first token's index and its token count.
 */
export interface StatePlace {
  token: number
  tokens: number
}

/**
 * Runs the frozen layers of an encoder, below the trained layers, once per text. Texts with the
 * same number of tokens run together, so there is no padding.
 */
export class LowerLayers implements StateSource {
  readonly identity: string
  readonly sizes: readonly number[]
  /** The location of each text's hidden states. */
  readonly places: ReadonlyMap<string, StatePlace>
  readonly #model: EncoderModel
  readonly #options: DeviceOptions & SplitHooks
  /** The token ids of the texts, by part and batch. */
  readonly #parts: readonly (readonly number[][])[][]
  /** The number of texts computed by the end of each part. */
  readonly #ends: readonly number[]
  #opened: Promise<{ session: InferenceSession; weights: Record<string, Tensor> }> | undefined

  constructor(model: EncoderModel, queries: readonly Query[], options: DeviceOptions & SplitHooks) {
    this.#model = model
    this.#options = options
    const tokens = new Map<string, number[]>()
    for (const query of queries) {
      if (!tokens.has(query.text!)) tokens.set(query.text!, model.tokensOf(query).ids)
    }
    const [texts, ids] = [[...tokens.keys()], [...tokens.values()]]
    const batches = planBatches(ids.map(({ length }) => length))
    const places = new Map<string, StatePlace>()
    let token = 0
    for (const { texts: members, length } of batches) {
      for (const text of members) {
        places.set(texts[text]!, { token, tokens: length })
        token += length
      }
    }
    this.places = places
    const count = Math.ceil(batches.length / BATCHES_PER_PART)
    this.#parts = Array.from({ length: count }, (_, part) =>
      batches
        .slice(part * BATCHES_PER_PART, (part + 1) * BATCHES_PER_PART)
        .map(({ texts: members }) => members.map((text) => ids[text]!)),
    )
    this.sizes = this.#parts.map((part) => tokensIn(part.flat()) * model.dimensions)
    let end = 0
    this.#ends = this.#parts.map((part) => (end += part.flat().length))
    this.identity = identityOf(model, this.#parts.flat(2))
  }

  async compute(part: number): Promise<Float32Array> {
    const { signal, onLowerLayers } = this.#options
    throwIfAborted(signal)
    this.#opened ??= this.#open()
    const { session, weights } = await this.#opened
    const states = new Float32Array(this.sizes[part]!)
    let at = 0
    for (const batch of this.#parts[part]!) {
      const { feeds } = this.#model.prepareTokens(batch)
      const { data } = (await session.run({ ...feeds, ...weights }))[HIDDEN]!
      states.set(data as Float32Array, at)
      at += data.length
    }
    onLowerLayers?.(this.#ends[part]!, this.places.size)
    return states
  }

  async close(): Promise<void> {
    await (await this.#opened)?.session.release()
  }

  async #open(): Promise<{ session: InferenceSession; weights: Record<string, Tensor> }> {
    const { checkpoint, lowest, weights } = this.#model
    const { graph, hidden } = buildLower(checkpoint.config, lowest)
    graph.output(HIDDEN, hidden)
    const session = await openGraph(graph, this.#options)
    return { session, weights: weightFeeds(graph.parameters, weights) }
  }
}

/**
 * Computes a digest of the layers' configuration and weights, and of the tokens, which determine
 * the hidden states.
 */
function identityOf(
  { checkpoint, lowest, weights, table }: EncoderModel,
  tokens: readonly (readonly number[])[],
): string {
  const digest = new Digest().text(FORMAT).text(JSON.stringify(checkpoint.config)).rows([lowest])
  const { parameters } = buildLower(checkpoint.config, lowest).graph
  for (const name of [table.name, ...parameters.map(({ name }) => name)]) {
    digest.text(name).array(weights.get(name))
  }
  for (const ids of tokens) digest.rows(ids)
  return digest.end()
}

function tokensIn(texts: readonly (readonly number[])[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0)
}
