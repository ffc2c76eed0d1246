/// <reference lib="esnext.disposable" preserve="true" />

import { availableParallelism } from 'node:os'
import { FileError } from '@kith/base'
import { KithError } from '@kith/core'
import { range } from '@kith/core/internal'
import { findRuntime } from './find-runtime.ts'
import { indexTensors } from './model/checkpoint.ts'
import { type Family, families } from './model/families.ts'
import type { DownloadOptions } from './model/hub.ts'
import { asCheckpoint, type Checkpoint, openModel } from './model/model.ts'
import { runTexts } from './run-texts.ts'
import { openSizedPool, type SessionPool } from './session-pool.ts'

/** How texts are scored. */
export interface CrossEncodeOptions {
  /** Called with the number of texts done. */
  onProgress?: ((done: number) => void) | undefined
  /** Stops the work, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined
}

/** The scores of some texts for a query. */
export interface CrossEncoded {
  /**
   * One number per text, in the order of the texts: the model's raw output (logit), before any
   * sigmoid. Larger is more relevant; numbers of different models cannot be compared.
   */
  scores: Float32Array
  /** Texts that were longer than the model takes beside the query, and were cut. */
  cut: number
}

/** A model that reads a query and a text together and scores how well they go together. Close it when it is done. */
export class CrossEncoder {
  readonly name: string
  /** Tokens of a pair, special ones included; texts are cut there. */
  readonly maxTokens: number
  readonly #model: Checkpoint
  readonly #pool: SessionPool

  /** @internal Use `loadCrossEncoder`. */
  constructor(model: Checkpoint, pool: SessionPool) {
    this.name = model.files.name
    this.maxTokens = model.maxTokens
    this.#model = model
    this.#pool = pool
  }

  /** Scores each text for a query. A score depends on its query and text alone. */
  async crossEncode(
    query: string,
    texts: readonly string[],
    { signal, onProgress }: CrossEncodeOptions = {},
  ): Promise<CrossEncoded> {
    checkText('the query', query)
    const pair = this.#model.tokenizer.pairsWith(query)
    const tokens = texts.map((text, i) => {
      checkText(`text ${i}`, text)
      return pair(text)
    })
    const hasTypes = this.#model.config.tokenTypes > 1
    let done = 0
    const scores = await runTexts(
      this.#pool,
      tokens.map(({ ids, types }) => (hasTypes ? { ids, types } : { ids })),
      {
        width: 1,
        name: this.name,
        signal,
        onTexts: (count) => {
          done += count
          onProgress?.(done)
        },
      },
    )
    return { scores, cut: tokens.filter(({ cut }) => cut).length }
  }

  /**
   * Ends the sessions; texts that are not scored yet fail. Resolves when their processes have
   * exited.
   */
  async close(): Promise<void> {
    await this.#pool.close()
  }

  /** Same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

function checkText(what: string, text: unknown): void {
  if (typeof text === 'string') return
  throw new KithError('BAD_INPUT', `${what} must be a string, got ${typeof text}`)
}

/** How a cross-encoder is loaded. */
export interface CrossEncoderOptions extends DownloadOptions {
  /**
   * Maximum number of tokens of a pair, special tokens included; default: the limit in the model's
   * files.
   */
  maxTokens?: number | undefined
  /** Cores to use; default: all. The scores are the same for any number. */
  threads?: number | undefined
}

/**
 * Loads a model with a classification head of one score, such as
 * `cross-encoder/ms-marco-MiniLM-L-6-v2` or `BAAI/bge-reranker-base`.
 *
 * ```ts
 * await using model = await loadCrossEncoder('cross-encoder/ms-marco-MiniLM-L-6-v2')
 * const scores = await model.crossEncode('how do bees find flowers', ['Bees see ultraviolet light.'])
 * ```
 *
 * @param name A folder, or a name on the hub.
 */
export async function loadCrossEncoder(
  name: string,
  options: CrossEncoderOptions = {},
): Promise<CrossEncoder> {
  const { threads = availableParallelism(), ...others } = options
  range({ from: 1, integer: true })('threads', threads)
  findRuntime()
  // The score is made of the first token, even if the files name another pooling.
  const model = asCheckpoint(await openModel(name, { ...others, pooling: 'first' }))
  await checkHead(model)
  const { config, weights, head } = model
  return new CrossEncoder(
    model,
    await openSizedPool({ config, weights, head, scores: true }, threads),
  )
}

/** Throws unless the weights have the layers of one score. */
async function checkHead({ config, weights }: Checkpoint): Promise<void> {
  const { score }: Family = families[config.family]
  if (!score) {
    const known = Object.entries<Family>(families).filter(([, { score }]) => score)
    const names = known.map(([name]) => name).join(', ')
    const problem = `cross-encoders of the family ${config.family} are not supported; supported: ${names}`
    throw new FileError(weights, '', problem)
  }
  const { stored } = await indexTensors(weights)
  const shape = stored.get(`${score.out}.weight`)?.shape
  if (!shape) {
    const problem = `has no tensor ${score.out}.weight; the model is not a cross-encoder`
    throw new FileError(weights, '', problem)
  }
  if (shape[0] !== 1) {
    throw new FileError(
      weights,
      '',
      `expected one score per pair of texts, but the model returns ${shape[0]} numbers`,
    )
  }
}
