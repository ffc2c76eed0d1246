import { join } from 'node:path'
import { FileError } from '@kith/base'
import { KithError } from '@kith/core'
import { choice, range } from '@kith/core/internal'
import type { Head, Pooling } from '../network/pooling.ts'
import { TextTokenizer } from '../tokens/text-tokenizer.ts'
import { readTokenizerFiles } from '../tokens/tokenizer-files.ts'
import { checkSizes } from './check-sizes.ts'
import { type EncoderConfig, longestText, readConfig } from './config.ts'
import { findModel } from './find-model.ts'
import type { DownloadOptions } from './hub.ts'
import type { ModelFiles } from './model-folder.ts'
import type { Prefixes } from './prefixes.ts'

/** How a model is found and used; by default as its own files say. */
export interface ModelOptions extends DownloadOptions {
  /** How tokens become an embedding. */
  pooling?: Pooling | undefined
  /** Whether embeddings get length 1; if the files do not say so, they do not. */
  normalize?: boolean | undefined
  /** Where texts are cut, special tokens included. */
  maxTokens?: number | undefined
}

/** A model whose files have been looked at; its weights are read when they are needed. */
export interface Model {
  files: ModelFiles
  /** The measures of the encoder; a model in ONNX needs none. */
  config: EncoderConfig | undefined
  /** Without a pooling, a model in ONNX returns embeddings by itself. */
  head: { pooling: Pooling | undefined; normalize: boolean }
  maxTokens: number
  /** Put before texts, as the files say. */
  prefixes: Prefixes
  tokenizer: TextTokenizer
}

/** A model that the graph builder can build. */
export interface Checkpoint extends Model {
  config: EncoderConfig
  weights: string
  head: Head
}

/** Models in ONNX that do not say where they end. */
const USUAL_LIMIT = 512

/** Finds a model and reads its files, except the weights. */
export async function openModel(name: string, options: ModelOptions = {}): Promise<Model> {
  const files = await findModel(name, options)
  const config = files.onnx ? undefined : await checkedConfig(files)
  const { pooling = files.head.pooling, normalize = files.head.normalize ?? false } = options
  if (pooling !== undefined) choice('mean', 'first')('pooling', pooling)
  else if (config) {
    const problem = `the files of ${files.name} do not say how tokens become an embedding: say pooling "mean" (RepBERT, E5) or "first" (TAS-B, CoCondenser, BGE)`
    throw new KithError('BAD_SETTING', problem)
  }
  const limit = config && longestText(config)
  const maxTokens = options.maxTokens ?? Math.min(files.maxTokens ?? USUAL_LIMIT, limit ?? Infinity)
  range({ from: 1, to: limit, integer: true })('maxTokens', maxTokens)
  const { file, description, config: settings } = await readTokenizerFiles(files.folder)
  const tokenizer = new TextTokenizer(file, description, settings, maxTokens)
  if (config && tokenizer.largestId >= config.vocabulary) {
    const problem = `has token ${tokenizer.largestId}, by config.json the model knows ${config.vocabulary}`
    throw new FileError(file, '', problem)
  }
  const { prefixes = { query: '', document: '' } } = files
  return { files, config, head: { pooling, normalize }, maxTokens, prefixes, tokenizer }
}

/** The measures of a checkpoint, which its weights have too. */
async function checkedConfig({ folder, weights }: ModelFiles): Promise<EncoderConfig> {
  const file = join(folder, 'config.json')
  const config = await readConfig(file)
  if (weights) await checkSizes(file, config, weights)
  return config
}

/** The same model, if it is a checkpoint. */
export function asCheckpoint(model: Model): Checkpoint {
  const { config, files, head } = model
  if (!config || !files.weights || !head.pooling) {
    const problem = `${files.name} is a model in ONNX; this needs one in safetensors`
    throw new KithError('BAD_INPUT', problem)
  }
  return { ...model, config, weights: files.weights, head: { ...head, pooling: head.pooling } }
}
