import { availableParallelism } from 'node:os'
import { choice, range } from '@kith/core/internal'
import { Encoder } from './encoder.ts'
import { findRuntime } from './find-runtime.ts'
import { asCheckpoint, type Model, type ModelOptions, openModel } from './model/model.ts'
import type { SessionSource } from './session.ts'
import { openSizedPool } from './sized-pool.ts'

/** How an encoder is loaded. */
export interface EncoderOptions extends ModelOptions {
  /** Put before each query, such as `query: ` for E5; default: what the model's files say. */
  queryPrefix?: string | undefined
  /** Put before each document, such as `passage: ` for E5; default: what the model's files say. */
  documentPrefix?: string | undefined
  /**
   * `int8`: linear layers compute with numbers of 8 bits, in less time, and embeddings are less
   * exact (docs/encode.md has figures). Default: float32.
   */
  quantize?: 'int8' | undefined
  /** Cores to use; default: all. The embeddings are the same for any number. */
  threads?: number | undefined
}

/**
 * Loads a model.
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
    // The empty text tells the dimensions, and whether the model runs at all.
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

/** The parts of a model that sessions need. */
function sourceOf(model: Model, quantize: EncoderOptions['quantize']): SessionSource {
  if (model.files.onnx && !quantize) return { file: model.files.onnx, head: model.head }
  const { config, weights, head } = asCheckpoint(model)
  return { config, weights, head, quantized: quantize !== undefined }
}
