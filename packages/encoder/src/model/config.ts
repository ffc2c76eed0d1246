import { FileError } from '@kith/ir'
import { type JsonObject, readJson } from '../json.ts'

/** The function between the two halves of a feed-forward block. */
export type Activation = 'gelu' | 'gelu-tanh' | 'relu'

/** The measures of an encoder, whatever its family calls them. */
export interface EncoderConfig {
  family: 'bert' | 'distilbert'
  layers: number
  heads: number
  /** Numbers per token, and dimensions of an embedding. */
  hidden: number
  /** Numbers per token inside a feed-forward block. */
  intermediate: number
  /** Token ids that there are. */
  vocabulary: number
  /** Tokens that a text can have. */
  positions: number
  /** Kinds of segments; DistilBERT has none. */
  tokenTypes: number
  activation: Activation
  /** Added to variances in layer normalisation. */
  epsilon: number
}

const activations: Record<string, Activation> = {
  gelu: 'gelu',
  gelu_new: 'gelu-tanh',
  gelu_pytorch_tanh: 'gelu-tanh',
  relu: 'relu',
}

/** The names of the same settings in the two families' `config.json`. */
export const configKeys = {
  bert: {
    layers: 'num_hidden_layers',
    heads: 'num_attention_heads',
    hidden: 'hidden_size',
    intermediate: 'intermediate_size',
    vocabulary: 'vocab_size',
    positions: 'max_position_embeddings',
    tokenTypes: 'type_vocab_size',
    activation: 'hidden_act',
  },
  distilbert: {
    layers: 'n_layers',
    heads: 'n_heads',
    hidden: 'dim',
    intermediate: 'hidden_dim',
    vocabulary: 'vocab_size',
    positions: 'max_position_embeddings',
    tokenTypes: 'type_vocab_size',
    activation: 'activation',
  },
} as const

/** No encoder is larger; a config that says so is damaged. */
const LARGEST = 10_000_000

/**
 * Reads `config.json` of a BERT or DistilBERT checkpoint. Whether the weights are of these sizes,
 * `checkSizes` tells: until then nothing must be built that grows with them.
 */
export async function readConfig(file: string): Promise<EncoderConfig> {
  const json = await readJson(file)
  const family = json['model_type'] ?? ('dim' in json ? 'distilbert' : 'bert')
  if (family !== 'bert' && family !== 'distilbert') {
    const problem = `expected model_type bert or distilbert, found ${JSON.stringify(family)} (other models can be used as model.onnx)`
    throw new FileError(file, '', problem)
  }
  const positionType = json['position_embedding_type'] ?? 'absolute'
  if (positionType !== 'absolute') {
    const problem = `position_embedding_type ${JSON.stringify(positionType)} is not supported`
    throw new FileError(file, '', problem)
  }
  const names = configKeys[family]
  const name = json[names.activation] ?? 'gelu'
  const activation =
    typeof name === 'string' && Object.hasOwn(activations, name) ? activations[name] : undefined
  if (!activation) {
    const allowed = Object.keys(activations).join(', ')
    const problem = `${names.activation} is ${JSON.stringify(name)}, supported: ${allowed}`
    throw new FileError(file, '', problem)
  }
  const config: EncoderConfig = {
    family,
    layers: size(file, json, names.layers),
    heads: size(file, json, names.heads),
    hidden: size(file, json, names.hidden),
    intermediate: size(file, json, names.intermediate),
    vocabulary: size(file, json, names.vocabulary),
    positions: size(file, json, names.positions),
    tokenTypes: family === 'bert' ? size(file, json, names.tokenTypes) : 0,
    activation,
    // DistilBERT has no setting for it: its code says 1e-12.
    epsilon: family === 'bert' ? epsilonOf(file, json) : 1e-12,
  }
  if (config.hidden % config.heads !== 0) {
    const problem = `${names.hidden} is ${config.hidden}, which does not divide by the ${config.heads} of ${names.heads}`
    throw new FileError(file, '', problem)
  }
  return config
}

function epsilonOf(file: string, { layer_norm_eps: value = 1e-12 }: JsonObject): number {
  if (typeof value === 'number' && value >= 0 && value < 1) return value
  const problem = `layer_norm_eps is ${JSON.stringify(value)}, expected a number from 0 to below 1`
  throw new FileError(file, '', problem)
}

function size(file: string, json: JsonObject, key: string): number {
  const value = json[key]
  if (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= LARGEST) {
    return value as number
  }
  const problem = `${key} is ${JSON.stringify(value)}, expected a whole number from 1 to ${LARGEST}`
  throw new FileError(file, '', problem)
}
