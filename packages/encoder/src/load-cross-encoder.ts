import { availableParallelism } from 'node:os'
import { FileError } from '@kith/base'
import { range } from '@kith/core/internal'
import { CrossEncoder } from './cross-encoder.ts'
import { findRuntime } from './find-runtime.ts'
import { indexTensors } from './model/checkpoint.ts'
import { type Family, families } from './model/families.ts'
import type { DownloadOptions } from './model/hub.ts'
import { asCheckpoint, type Checkpoint, openModel } from './model/model.ts'
import { openSizedPool } from './sized-pool.ts'

/** How a cross-encoder is loaded. */
export interface CrossEncoderOptions extends DownloadOptions {
  /** Where pairs are cut, special tokens included; default: what the model's files say. */
  maxTokens?: number | undefined
  /** Cores to use; default: all. The scores are the same for any number. */
  threads?: number | undefined
}

/**
 * Loads a model with a classification head of one score, such as
 * `cross-encoder/ms-marco-MiniLM-L-6-v2` or `BAAI/bge-reranker-base`.
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
  // The score is made of the first token, whatever the files say of pooling.
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
    const problem = `cross-encoders of the family ${config.family} are not supported, only ${names}`
    throw new FileError(weights, '', problem)
  }
  const { stored } = await indexTensors(weights)
  const shape = stored.get(`${score.out}.weight`)?.shape
  if (!shape) {
    const problem = `has no tensor ${score.out}.weight: it is no cross-encoder, which scores a pair of texts`
    throw new FileError(weights, '', problem)
  }
  if (shape[0] !== 1) {
    throw new FileError(
      weights,
      '',
      `gives ${shape[0]} numbers for a pair of texts, expected one score`,
    )
  }
}
