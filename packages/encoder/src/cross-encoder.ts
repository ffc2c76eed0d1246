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

/** Options for scoring texts. */
export interface CrossEncodeOptions {
  /** Called with the number of texts that are done. */
  onProgress?: ((done: number) => void) | undefined
  /** Aborting the signal stops the work, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined
}

/** The scores of some texts for a query. */
export interface CrossEncoded {
  /**
   * One score per text, in the order of the texts: the model's raw output (logit), before any
   * sigmoid. Larger is more relevant; scores of different models cannot be compared.
   */
  scores: Float32Array
  /** The number of texts that were truncated, because they were too long beside the query. */
  cut: number
}

/**
 * A model that reads a query and a text together and scores the relevance of the text. Close it
 * after use.
 */
export class CrossEncoder {
  readonly name: string
  /** Maximum number of tokens of a pair, special tokens included; longer texts are truncated. */
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

  /** Scores each text for a query. A score depends only on the query and the text. */
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
   * Ends the sessions; texts that are not scored yet fail. Resolves when the processes of the
   * sessions have exited.
   */
  async close(): Promise<void> {
    await this.#pool.close()
  }

  /** Does the same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

function checkText(what: string, text: unknown): void {
  if (typeof text === 'string') return
  throw new KithError('BAD_INPUT', `${what} must be a string, got ${typeof text}`)
}

/** Options for loading a cross-encoder. */
export interface CrossEncoderOptions extends DownloadOptions {
  /**
   * Maximum number of tokens of a pair, special tokens included. Default: the limit in the model's
   * files.
   */
  maxTokens?: number | undefined
  /** The number of cores to use. Default: all. The scores do not depend on the number. */
  threads?: number | undefined
}

/**
 * Loads a model with a classification head for a single score, such as
 * `cross-encoder/ms-marco-MiniLM-L-6-v2` or `BAAI/bge-reranker-base`.
 *
 * ```ts
 * await using model = await loadCrossEncoder('cross-encoder/ms-marco-MiniLM-L-6-v2')
 * const texts = ['Bees see ultraviolet light.']
 * const { scores } = await model.crossEncode('how do bees find flowers', texts)
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
  // The score is computed from the first token, even if the files name a different pooling.
  const model = asCheckpoint(await openModel(name, { ...others, pooling: 'first' }))
  await checkHead(model)
  const { config, weights, head } = model
  return new CrossEncoder(
    model,
    await openSizedPool({ config, weights, head, scores: true }, threads),
  )
}

/** Throws unless the weights contain a head for a single score. */
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
