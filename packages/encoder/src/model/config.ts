import { FileError } from '@kith/base'
import { isObject, type JsonObject, readJson } from '../json.ts'
import { type Family, type FamilyName, families, type Size } from './families.ts'

/** The activation function of a feed-forward block. */
export type Activation = 'gelu' | 'gelu-tanh' | 'relu' | 'silu'

/** The sizes of an encoder, under the same names for all families. */
export interface EncoderConfig {
  family: FamilyName
  layers: number
  heads: number
  /** Numbers per token, and dimensions of an embedding. */
  hidden: number
  /** Numbers per token inside a feed-forward block. */
  intermediate: number
  /** The number of token ids. */
  vocabulary: number
  /** The number of rows in the table of positions. */
  positions: number
  /** The row of a text's first token, if it is not the first row of the table. */
  firstPosition?: number
  /** The number of segment types; 0 if the family has none. */
  tokenTypes: number
  activation: Activation
  /** The number that layer normalization adds to variances. */
  epsilon: number
  /** The angles of rotary position embeddings. */
  rotary?: Rotary
}

const activations: Record<string, Activation> = {
  gelu: 'gelu',
  gelu_new: 'gelu-tanh',
  gelu_pytorch_tanh: 'gelu-tanh',
  relu: 'relu',
  silu: 'silu',
  swiglu: 'silu',
}

/** The largest size in a config; a larger number means that the file is damaged. */
const LARGEST = 10_000_000

/**
 * Reads `config.json` of a checkpoint. `checkSizes` compares the sizes with the weights: before
 * that, do not build anything whose size depends on them.
 */
export async function readConfig(file: string): Promise<EncoderConfig> {
  const stored = await readJson(file)
  const family = familyOf(file, stored)
  const { keys, aliases = {}, fixed, tokenTypes, epsilon, ...traits }: Family = families[family]
  const json = { ...stored }
  for (const [key, alias] of Object.entries(aliases)) json[key] ??= stored[alias]
  for (const [key, value] of Object.entries(fixed)) {
    if ((json[key] ?? value) === value) continue
    throw new FileError(file, '', `${key} ${JSON.stringify(json[key])} is not supported`)
  }
  const size = (measure: Size) => sizeOf(file, json, keys[measure])
  const config: EncoderConfig = {
    family,
    layers: size('layers'),
    heads: size('heads'),
    hidden: size('hidden'),
    intermediate: size('intermediate'),
    vocabulary: size('vocabulary'),
    positions: size('positions'),
    tokenTypes: tokenTypes ? size('tokenTypes') : 0,
    activation: activationOf(file, json, keys.activation),
    epsilon: epsilon ?? epsilonOf(file, json, keys.epsilon),
    ...(traits.positionsAfterPadding ? { firstPosition: paddingOf(file, json) + 1 } : {}),
    ...(traits.positions === 'rotary' ? { rotary: readRotary(file, family, json) } : {}),
  }
  if (config.rotary && (config.hidden / config.heads) % 2 === 1) {
    const problem = `${keys.hidden} divided by the ${config.heads} heads must be even, got ${config.hidden}`
    throw new FileError(file, '', problem)
  }
  if (config.hidden % config.heads !== 0) {
    const problem = `${keys.hidden} must be a multiple of ${keys.heads} (${config.heads}), got ${config.hidden}`
    throw new FileError(file, '', problem)
  }
  if (longestText(config) < 1) {
    const problem = `${keys.positions} must leave positions after the padding token, got ${config.positions}`
    throw new FileError(file, '', problem)
  }
  return config
}

/** Returns the maximum number of tokens of a text. */
export function longestText({ positions, firstPosition = 0 }: EncoderConfig): number {
  return positions - firstPosition
}

function familyOf(file: string, json: JsonObject): FamilyName {
  const family = json['model_type'] ?? ('dim' in json ? 'distilbert' : 'bert')
  if (typeof family === 'string' && Object.hasOwn(families, family)) return family as FamilyName
  const { architectures } = json
  const named = Array.isArray(architectures) ? ` (${architectures.join(', ')})` : ''
  const known = Object.keys(families).join(', ')
  const problem = `model_type must be one of ${known}, got ${JSON.stringify(family)}${named}; convert other models to model.onnx`
  throw new FileError(file, '', problem)
}

function activationOf(file: string, json: JsonObject, key: string): Activation {
  const name = json[key] ?? 'gelu'
  if (typeof name === 'string' && Object.hasOwn(activations, name)) return activations[name]!
  const allowed = Object.keys(activations).join(', ')
  throw new FileError(file, '', `${key} must be one of ${allowed}, got ${JSON.stringify(name)}`)
}

/** Returns the id of the padding token; RoBERTa's default is 1. */
function paddingOf(file: string, { pad_token_id: id = 1 }: JsonObject): number {
  if (Number.isInteger(id) && (id as number) >= 0 && (id as number) <= LARGEST) return id as number
  const problem = `pad_token_id must be a whole number from 0 to ${LARGEST}, got ${JSON.stringify(id)}`
  throw new FileError(file, '', problem)
}

function epsilonOf(file: string, json: JsonObject, key: string): number {
  const value = json[key] === undefined ? 1e-12 : json[key]
  if (typeof value === 'number' && value >= 0 && value < 1) return value
  const problem = `${key} must be a number from 0 to below 1, got ${JSON.stringify(value)}`
  throw new FileError(file, '', problem)
}

function sizeOf(file: string, json: JsonObject, key: string): number {
  const value = json[key]
  if (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= LARGEST) {
    return value as number
  }
  const problem = `${key} must be a whole number from 1 to ${LARGEST}, got ${JSON.stringify(value)}`
  throw new FileError(file, '', problem)
}

/** The settings of rotary position embeddings. */
interface Rotary {
  /** The base of the angles: a larger base rotates more slowly. */
  theta: number
  /** The layers with local attention, whose tokens attend only to their neighborhood. */
  local?: {
    theta: number
    /** The number of tokens in the window, half of them on each side. */
    window: number
    /** Layers whose number is a multiple of this one attend to all tokens. */
    globalEvery: number
  }
}

/** The default bases of angles, for a `config.json` without the setting. */
const USUAL = { nomic: 1000, full: 160_000, local: 10_000 }

/** Reads the angles of a family, by the names in the original code or in transformers. */
function readRotary(file: string, family: FamilyName, json: JsonObject): Rotary {
  const parameters = isObject(json['rope_parameters']) ? json['rope_parameters'] : {}
  const kinds = (name: string) => (isObject(parameters[name]) ? parameters[name] : {})
  const theta = (settings: JsonObject, older: string, usual: number) => {
    const kind = settings['rope_type'] ?? 'default'
    if (kind !== 'default') {
      throw new FileError(file, '', `rope_type ${JSON.stringify(kind)} is not supported`)
    }
    const value = settings['rope_theta'] ?? json[older] ?? usual
    if (typeof value === 'number' && value > 0 && Number.isFinite(value)) return value
    throw new FileError(file, '', `${older} must be a number above 0, got ${JSON.stringify(value)}`)
  }
  if (family !== 'modernbert') return { theta: theta(parameters, 'rope_theta', USUAL.nomic) }
  const local = {
    theta: theta(kinds('sliding_attention'), 'local_rope_theta', USUAL.local),
    window: wholeOf(file, json, 'local_attention', 128),
    globalEvery: globalEvery(file, json),
  }
  return { theta: theta(kinds('full_attention'), 'global_rope_theta', USUAL.full), local }
}

/**
 * Returns the interval of layers that attend to all tokens; newer files list the type of each layer
 * instead.
 */
function globalEvery(file: string, json: JsonObject): number {
  const kinds = json['layer_types']
  if (!Array.isArray(kinds)) return wholeOf(file, json, 'global_attn_every_n_layers', 3)
  const second = kinds.indexOf('full_attention', 1)
  const every = second < 0 ? Math.max(1, kinds.length) : second
  const regular = kinds.every((kind, layer) => {
    return kind === (layer % every === 0 ? 'full_attention' : 'sliding_attention')
  })
  if (regular) return every
  throw new FileError(
    file,
    '',
    'layer_types must be regular: every n-th layer full_attention, all others sliding_attention',
  )
}

function wholeOf(file: string, json: JsonObject, key: string, usual: number): number {
  const value = json[key] ?? usual
  if (Number.isSafeInteger(value) && (value as number) >= 1) return value as number
  throw new FileError(
    file,
    '',
    `${key} must be a whole number of at least 1, got ${JSON.stringify(value)}`,
  )
}
