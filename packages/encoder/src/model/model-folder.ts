import { existsSync, readdirSync } from 'node:fs'
import { extname, join } from 'node:path'
import { FileError } from '@kith/base'
import { isObject, readJson, readJsonValue } from '../json.ts'
import type { Head } from '../network/pooling.ts'
import { findWeights } from './checkpoint.ts'

/** The files of a model, and the settings in them. */
export interface ModelFiles {
  /** The model's name as the user wrote it. */
  name: string
  /** A model in ONNX, used unchanged. */
  onnx?: string
  /** A safetensors file, or the index of several; the graph is built for it. */
  weights?: string
  /** The folder of `config.json` and of the tokenizer's files. */
  folder: string
  /** The settings in sentence-transformers' files, if there are any. */
  head: Partial<Head>
  maxTokens?: number
  prefixes?: Prefixes
}

/** Finds the model in a folder: a checkpoint, or a model in ONNX. */
export async function readModelFolder(root: string, name = root): Promise<ModelFiles> {
  const { head, path } = await readModules(root)
  const folder = join(root, path)
  const { onnx, weights } = findContents(folder)
  if (!onnx && !weights) {
    const older = existsSync(join(folder, 'pytorch_model.bin'))
    const hint = older
      ? '; save pytorch_model.bin as safetensors first (Kith does not load .bin files, which can run code)'
      : ''
    throw new FileError(folder, '', `has neither model.safetensors nor model.onnx${hint}`)
  }
  const maxTokens = await readMaxTokens(root, folder)
  return {
    name,
    folder,
    head,
    prefixes: await readPrefixes(root),
    ...(onnx ? { onnx } : {}),
    ...(weights ? { weights } : {}),
    ...(maxTokens ? { maxTokens } : {}),
  }
}

/** Returns the files that determine what a model computes: weights, config, tokenizer. */
export function contentsOf({ folder, onnx }: ModelFiles): string[] {
  const kinds = ['.json', '.txt', '.safetensors', '.onnx']
  const files = readdirSync(folder)
    .filter((name) => kinds.includes(extname(name)))
    .map((name) => join(folder, name))
  return [...new Set(onnx ? [...files, onnx] : files)].sort()
}

/**
 * Returns whether a folder contains a model, directly or in the subfolder of old
 * sentence-transformers.
 */
export function hasModel(root: string): boolean {
  return ['', '0_Transformer'].some((path) => {
    const { onnx, weights } = findContents(join(root, path))
    return onnx !== undefined || weights !== undefined
  })
}

/**
 * Finds the model in a folder. `model.onnx` is used unchanged; a model in `onnx/` counts as a copy
 * if there are weights.
 */
function findContents(folder: string): { onnx?: string; weights?: string } {
  const [onnx, copy] = ['model.onnx', 'onnx/model.onnx'].map((name) => join(folder, name))
  if (existsSync(onnx!)) return { onnx: onnx! }
  const weights = findWeights(folder)
  if (weights) return { weights }
  return existsSync(copy!) ? { onnx: copy! } : {}
}

/** Reads the pooling in sentence-transformers' `modules.json`, and the folder of the encoder. */
async function readModules(root: string): Promise<{ head: Partial<Head>; path: string }> {
  const file = join(root, 'modules.json')
  if (!existsSync(file)) return { head: {}, path: '' }
  const modules = await readJsonValue(file)
  if (!Array.isArray(modules)) throw new FileError(file, '', 'expected a list of modules')
  const head: Partial<Head> = { normalize: false }
  let path = ''
  for (const module of modules) {
    const { type, path: place } = isObject(module) ? module : {}
    const kind = String(type).split('.').at(-1)!
    if (kind === 'Transformer') path = safeFolder(file, place)
    else if (kind === 'Normalize') head.normalize = true
    else if (kind === 'Pooling') {
      head.pooling = await readPooling(join(root, safeFolder(file, place), 'config.json'))
    } else throw new FileError(file, '', `module ${kind} is not supported`)
  }
  return { head, path }
}

async function readPooling(file: string): Promise<Head['pooling']> {
  const config = await readJson(file)
  const modes = Object.keys(config).filter((key) => {
    return key.startsWith('pooling_mode_') && config[key] === true
  })
  // Newer versions have one setting instead of a switch for each mode.
  const mode = config['pooling_mode'] ?? modes.join(' and ')
  if (mode === 'mean' || mode === 'pooling_mode_mean_tokens') return 'mean'
  if (mode === 'cls' || mode === 'pooling_mode_cls_token') return 'first'
  const problem = `pooling must be mean or cls, got ${JSON.stringify(mode)}`
  throw new FileError(file, '', problem)
}

async function readMaxTokens(root: string, folder: string): Promise<number | undefined> {
  const sources = [
    [join(folder, 'sentence_bert_config.json'), 'max_seq_length'],
    [join(root, 'sentence_bert_config.json'), 'max_seq_length'],
    [join(folder, 'tokenizer_config.json'), 'model_max_length'],
  ] as const
  for (const [file, key] of sources) {
    const value = (existsSync(file) ? (await readJson(file))[key] : undefined) ?? undefined
    if (value === undefined) continue
    if (!Number.isInteger(value) || (value as number) < 1) {
      const problem = `${key} must be a whole number of at least 1, got ${JSON.stringify(value)}`
      throw new FileError(file, '', problem)
    }
    // Tokenizers without a limit store 1e30.
    if ((value as number) < 1e6) return value as number
  }
  return undefined
}

/**
 * Returns a folder inside the model's folder; refuses a path in a downloaded file that leads
 * outside.
 */
function safeFolder(file: string, path: unknown): string {
  if (path === undefined || path === '') return ''
  if (typeof path === 'string' && /^[\w-][\w.-]*$/.test(path)) return path
  throw new FileError(
    file,
    '',
    `path must be a folder inside the model folder, got ${JSON.stringify(path)}`,
  )
}

/** The role of a text: some models expect different prefixes for queries and documents. */
export type Role = 'query' | 'document'

/** The prefix of texts, by role. */
export type Prefixes = Record<Role, string>

/** sentence-transformers' file with the prefixes. */
export const PROMPTS_FILE = 'config_sentence_transformers.json'

/** The names of a role's prompt; the first that a model has is used. */
const names: Record<Role, readonly string[]> = {
  query: ['query'],
  document: ['document', 'passage', 'corpus'],
}

/**
 * Reads the prefixes in sentence-transformers' file: the prompts of queries and documents, else the
 * default prompt.
 */
async function readPrefixes(root: string): Promise<Prefixes> {
  const file = join(root, PROMPTS_FILE)
  const config = existsSync(file) ? await readJson(file) : {}
  const { default_prompt_name: usual } = config
  const prompts = config['prompts'] ?? {}
  const texts = isObject(prompts) ? prompts : undefined
  if (!texts || !Object.values(texts).every((text) => typeof text === 'string')) {
    throw new FileError(file, '', 'prompts must be an object with a text per name')
  }
  const prefixOf = (role: Role): string => {
    const name = [...names[role], usual].find((name) => {
      return typeof name === 'string' && Object.hasOwn(texts, name)
    })
    return name === undefined ? '' : String(texts[name as string])
  }
  return { query: prefixOf('query'), document: prefixOf('document') }
}
