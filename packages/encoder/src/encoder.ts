/// <reference lib="esnext.disposable" preserve="true" />

import { availableParallelism } from 'node:os'
import { orderedMap } from '@kith/base/pool'
import { KithError, type Matrix } from '@kith/core'
import { choice, range } from '@kith/core/internal'
import { findRuntime } from './find-runtime.ts'
import { asCheckpoint, type Model, type ModelOptions, openModel } from './model/model.ts'
import { contentsOf, type Prefixes, type Role } from './model/model-folder.ts'
import { runTexts, windowsOf } from './run-texts.ts'
import type { SessionSource } from './session.ts'
import { openSizedPool, type SessionPool } from './session-pool.ts'
import type { Tokens } from './tokens/text-tokenizer.ts'

/** Options for encoding texts. */
export interface EncodeOptions {
  /** The role of the texts. Default: `document`. */
  role?: Role | undefined
  /** Called with the number of texts that are done. */
  onProgress?: ((done: number) => void) | undefined
  /** Aborting the signal stops the work, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined
}

/** The embeddings of some texts, one row per text, in the order of the texts. */
export interface Encoded extends Matrix {
  /** The number of texts that were truncated, because they were longer than the model's limit. */
  cut: number
}

/** The number of windows in progress, so that no thread waits for the last batch of a window. */
const AHEAD = 8

/** A model that embeds texts, on all cores. Close it after use. */
export class Encoder {
  readonly name: string
  /** The number of tokens after which texts are truncated. */
  readonly maxTokens: number
  /**
   * The inputs that determine the embeddings: the files that the model was loaded from, its
   * pooling, and its arithmetic.
   */
  readonly source: {
    files: readonly string[]
    pooling: string | undefined
    normalize: boolean
    quantize?: 'int8' | undefined
  }
  readonly #model: Model
  readonly #pool: SessionPool
  readonly #prefixes: Prefixes

  /** @internal Use `loadEncoder`. */
  constructor(
    model: Model,
    readonly dimensions: number,
    pool: SessionPool,
    prefixes: Prefixes,
    quantize?: 'int8',
  ) {
    this.name = model.files.name
    this.maxTokens = model.maxTokens
    this.source = { files: contentsOf(model.files), ...model.head, quantize }
    this.#model = model
    this.#pool = pool
    this.#prefixes = prefixes
  }

  /** Encodes a list of texts. */
  async encode(texts: readonly string[], options: EncodeOptions = {}): Promise<Encoded> {
    const { dimensions } = this
    const data = new Float32Array(texts.length * dimensions)
    let [rows, cut] = [0, 0]
    for await (const window of this.encodeStream(texts, options)) {
      data.set(window.data, rows * dimensions)
      rows += window.rows
      cut += window.cut
    }
    return { data, rows, dimensions, cut }
  }

  /**
   * Encodes texts as they arrive, and yields some rows at a time, in the order of the texts. A
   * text's embedding depends only on the text: work that is resumed after some rows gives the same
   * bytes as work without a break.
   */
  async *encodeStream(
    texts: Iterable<string> | AsyncIterable<string>,
    options: EncodeOptions = {},
  ): AsyncGenerator<Encoded> {
    const { role = 'document', signal } = options
    let [first, done] = [0, 0]
    const onTexts = (count: number) => {
      done += count
      options.onProgress?.(done)
    }
    const encodeWindow = (window: string[], ended: AbortSignal) => {
      const start = first
      first += window.length
      return this.#encodeWindow(window, start, role, ended, onTexts)
    }
    const encoded = orderedMap(windowsOf(texts), encodeWindow, { ahead: AHEAD, signal })
    for await (const [, window] of encoded) yield window
  }

  /**
   * Ends the sessions; texts that are not encoded yet fail. Resolves when the processes of the
   * sessions have exited.
   */
  async close(): Promise<void> {
    await this.#pool.close()
  }

  /** Does the same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #encodeWindow(
    texts: string[],
    first: number,
    role: Role,
    signal: AbortSignal,
    onTexts: (count: number) => void,
  ): Promise<Encoded> {
    const { dimensions } = this
    choice('query', 'document')('role', role)
    const prefix = this.#prefixes[role]
    const tokens = texts.map((text, i) => this.#tokenize(prefix, text, first + i))
    const data = await runTexts(this.#pool, tokens, {
      width: dimensions,
      name: this.name,
      first,
      // Quantization rounds the numbers of a batch together: texts run alone, so that an embedding
      // does not depend on other texts.
      most: this.source.quantize && 1,
      signal,
      onTexts,
    })
    const cut = tokens.reduce((count, { cut }) => count + (cut ? 1 : 0), 0)
    return { data, rows: texts.length, dimensions, cut }
  }

  #tokenize(prefix: string, text: string, index: number): Tokens {
    if (typeof text !== 'string') {
      throw new KithError('BAD_INPUT', `text ${index} must be a string, got ${typeof text}`)
    }
    return this.#model.tokenizer.encode(prefix + text)
  }
}

/** Options for loading an encoder. */
export interface EncoderOptions extends ModelOptions {
  /**
   * The prefix of each query, such as `query: ` for E5. Default: the prefix in the model's files.
   */
  queryPrefix?: string | undefined
  /**
   * The prefix of each document, such as `passage: ` for E5. Default: the prefix in the model's
   * files.
   */
  documentPrefix?: string | undefined
  /**
   * `int8`: linear layers compute with 8-bit numbers, which is faster, and embeddings are less
   * exact (docs/encode.md has figures). Default: float32.
   */
  quantize?: 'int8' | undefined
  /** The number of cores to use. Default: all. The embeddings do not depend on the number. */
  threads?: number | undefined
}

/**
 * Loads an encoder.
 *
 * ```ts
 * await using encoder = await loadEncoder('minilm')
 * const { data, dimensions } = await encoder.encode(['how do bees find flowers'])
 * ```
 *
 * @param name `minilm`, a folder, or a name on the hub.
 */
export async function loadEncoder(name: string, options: EncoderOptions = {}): Promise<Encoder> {
  const { threads = availableParallelism(), quantize } = options
  range({ from: 1, integer: true })('threads', threads)
  if (quantize !== undefined) choice('int8')('quantize', quantize)
  findRuntime()
  const model = await openModel(name, options)
  const source = sourceOf(model, quantize)
  const pool = await openSizedPool(source, threads)
  try {
    // Encodes an empty text to determine the dimensions, and to check that the model runs.
    const { ids } = model.tokenizer.encode('')
    const row = await pool.run(() => ({ ids: Int32Array.from(ids), length: ids.length }))
    const { queryPrefix = model.prefixes.query, documentPrefix = model.prefixes.document } = options
    const prefixes = { query: queryPrefix, document: documentPrefix }
    return new Encoder(model, row.length, pool, prefixes, quantize)
  } catch (error) {
    await pool.close()
    throw error
  }
}

/** Returns the parts of a model that sessions need. */
function sourceOf(model: Model, quantize: EncoderOptions['quantize']): SessionSource {
  if (model.files.onnx && !quantize) return { file: model.files.onnx, head: model.head }
  const { config, weights, head } = asCheckpoint(model)
  return { config, weights, head, quantized: quantize !== undefined }
}
