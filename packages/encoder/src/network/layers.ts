import { gelu, relu } from '../graph/activation.ts'
import { add, multiply, toFloat } from '../graph/elementwise.ts'
import { gather } from '../graph/gather.ts'
import type { Graph, Value } from '../graph/graph.ts'
import { linear, matmul } from '../graph/linear.ts'
import { layerNorm, softmax } from '../graph/normalise.ts'
import { positions, reshape, transpose } from '../graph/shape.ts'
import type { Activation, EncoderConfig } from '../model/config.ts'
import { families, type LayerNames, POSITIONS, TOKEN_TYPES, WORDS } from '../model/families.ts'

/** Added to the score of a token that is padding: its weight after softmax is exactly 0. */
const MASKED = -1e9

/** Sets numbers to 0 while training, at the places where BERT's dropout is. */
export type Drop = (x: Value, where: 'hidden' | 'attention') => Value

/** The embeddings of tokens, batch × length × hidden. */
export function wordRows({ vocabulary, hidden }: EncoderConfig, ids: Value): Value {
  return gather(ids.graph.parameter(WORDS, [vocabulary, hidden]), ids)
}

/** How an encoder's dropout is placed. */
export interface DropPlaces {
  drop: Drop
  /** The first layer with dropout; −1: the embeddings have it, too. */
  from: number
}

/**
 * An encoder of BERT's kind; families differ as `families` says.
 *
 * Tokens of all texts stand one below the other (tokens × hidden), so that every
 * linear layer is one large product; only attention looks at texts one by one.
 *
 * @param words The embeddings of tokens, batch × length × hidden.
 * @param mask 1 for tokens, 0 for padding, batch × length.
 * @param types Kinds of segments, batch × length; without them, a text is one segment.
 * @returns The last hidden state, batch × length × hidden.
 */
export function encoderLayers(
  config: EncoderConfig,
  words: Value,
  mask: Value,
  { drop, from }: DropPlaces = { drop: keep, from: -1 },
  types?: Value,
): Value {
  const bias = attentionBias(mask)
  const frozen = Math.max(0, from)
  const embedded = embed(config, words, types)
  const start = from < 0 ? drop(embedded, 'hidden') : embedded
  const middle = layers(config, start, bias, { from: 0, to: frozen, drop: keep })
  const end = layers(config, middle, bias, { from: frozen, to: config.layers, drop })
  return reshape(end, words.shape)
}

/** The embeddings and the first `count` layers of an encoder, without dropout. */
export function lowerLayers(
  config: EncoderConfig,
  words: Value,
  mask: Value,
  count: number,
): Value {
  const stretch = { from: 0, to: count, drop: keep }
  return reshape(layers(config, embed(config, words), attentionBias(mask), stretch), words.shape)
}

/** The layers above those of `lowerLayers`, whose hidden states they take. */
export function upperLayers(
  config: EncoderConfig,
  hidden: Value,
  mask: Value,
  { drop, from }: DropPlaces,
): Value {
  const x = reshape(hidden, ['tokens', config.hidden])
  const stretch = { from, to: config.layers, drop }
  return reshape(layers(config, x, attentionBias(mask), stretch), hidden.shape)
}

/** Dropout that drops nothing. */
export const keep: Drop = (x) => x

/** The layers from one number up to, but not including, another; hidden states are tokens × hidden. */
function layers(
  config: EncoderConfig,
  hidden: Value,
  bias: Value,
  { from, to, drop }: { from: number; to: number; drop: Drop },
): Value {
  const norm = (x: Value, name: string) =>
    normalised(hidden.graph, x, name, config.hidden, config.epsilon)
  let x = hidden
  for (let layer = from; layer < to; layer++) {
    const names = families[config.family].layer(layer)
    const attended = drop(attention(config, names, x, bias, drop), 'hidden')
    x = norm(add(x, attended), names.attentionNorm)
    x = norm(add(x, drop(feedForward(config, names, x), 'hidden')), names.outputNorm)
  }
  return x
}

/** The sum of the embeddings of a token and of its position, normalised. */
function embed(config: EncoderConfig, words: Value, types?: Value): Value {
  const { hidden, tokenTypes, epsilon } = config
  const { graph } = words
  const table = (name: string, rows: number) => graph.parameter(name, [rows, hidden])
  const places = table(POSITIONS, config.positions)
  let x = add(words, gather(places, positions(words, 'length', config.firstPosition)))
  if (tokenTypes > 0) {
    // A text alone is one segment: all of its tokens are of the first type.
    const kinds = types ?? graph.constant(BigInt64Array.of(0n))
    x = add(x, gather(table(TOKEN_TYPES, tokenTypes), kinds))
  }
  return normalised(graph, reshape(x, ['tokens', hidden]), 'embeddings.LayerNorm', hidden, epsilon)
}

/** The mask that is added to attention scores: 0 for tokens, a large negative number for padding. */
function attentionBias(mask: Value): Value {
  const padding = add(multiply(toFloat(mask), -1), 1)
  return reshape(multiply(padding, MASKED), [mask.shape[0]!, 1, 1, mask.shape[1]!])
}

function attention(
  config: EncoderConfig,
  names: LayerNames,
  x: Value,
  bias: Value,
  drop: Drop,
): Value {
  const { hidden, heads } = config
  const perHead = hidden / heads
  const split = (name: string, order: number[]) => {
    const projected = dense(x, name, hidden, hidden)
    return transpose(reshape(projected, ['batch', 'length', heads, perHead]), order)
  }
  const query = split(names.query, [0, 2, 1, 3])
  const key = split(names.key, [0, 2, 3, 1])
  const value = split(names.value, [0, 2, 1, 3])
  const scores = multiply(matmul(query, key), 1 / Math.sqrt(perHead))
  const seen = matmul(drop(softmax(add(scores, bias)), 'attention'), value)
  const together = reshape(transpose(seen, [0, 2, 1, 3]), ['tokens', hidden])
  return dense(together, names.attentionOutput, hidden, hidden)
}

function feedForward(config: EncoderConfig, names: LayerNames, x: Value): Value {
  const { hidden, intermediate } = config
  const inner = activate(config.activation, dense(x, names.up, hidden, intermediate))
  return dense(inner, names.down, intermediate, hidden)
}

function activate(activation: Activation, x: Value): Value {
  if (activation === 'relu') return relu(x)
  return gelu(x, activation === 'gelu' ? 'none' : 'tanh')
}

/** A linear layer under the stem of its parameters. */
export function dense(x: Value, name: string, from: number, to: number): Value {
  const weight = x.graph.parameter(`${name}.weight`, [to, from])
  return linear(x, weight, x.graph.parameter(`${name}.bias`, [to]))
}

function normalised(graph: Graph, x: Value, name: string, size: number, epsilon: number): Value {
  const gamma = graph.parameter(`${name}.weight`, [size])
  return layerNorm(x, gamma, graph.parameter(`${name}.bias`, [size]), epsilon)
}
