import { add, multiply, positions, reshape, transpose, unary } from '../graph/arithmetic.ts'
import {
  gather,
  gelu,
  half,
  layerNorm,
  linear,
  matmul,
  relu,
  silu,
  softmax,
} from '../graph/blocks.ts'
import type { Value } from '../graph/graph.ts'
import type { Activation, EncoderConfig } from '../model/config.ts'
import {
  type Family,
  families,
  type LayerNames,
  POSITIONS,
  TOKEN_TYPES,
} from '../model/families.ts'
import { attentionPositions, type Positions } from './positions.ts'

/** Applies dropout during training, at the places where BERT has dropout. */
export type Drop = (x: Value, where: 'hidden' | 'attention') => Value

/** Looks up the embeddings of tokens, batch × length × hidden. */
export function wordRows({ family, vocabulary, hidden }: EncoderConfig, ids: Value): Value {
  return gather(ids.graph.parameter(families[family].words, [vocabulary, hidden]), ids)
}

/** Where an encoder's dropout is placed. */
export interface DropPlaces {
  drop: Drop
  /** The first layer with dropout; −1 if the embeddings also have dropout. */
  from: number
}

/**
 * Builds an encoder of the BERT kind; `families` describes how families differ.
 *
 * The tokens of all texts are stacked (tokens × hidden), so that every linear layer is one large
 * product; only attention treats texts separately.
 *
 * @param words The embeddings of tokens, batch × length × hidden.
 * @param mask 1 for tokens, 0 for padding, batch × length.
 * @param types Segment types, batch × length; without them, a text is one segment.
 * @returns The last hidden state, batch × length × hidden.
 */
export function encoderLayers(
  config: EncoderConfig,
  words: Value,
  mask: Value,
  { drop, from }: DropPlaces = { drop: keep, from: -1 },
  types?: Value,
): Value {
  const places = attentionPositions(config, mask)
  const frozen = Math.max(0, from)
  const embedded = embed(config, words, types)
  const start = from < 0 ? drop(embedded, 'hidden') : embedded
  const middle = layers(config, start, places, { from: 0, to: frozen, drop: keep })
  const end = layers(config, middle, places, { from: frozen, to: config.layers, drop })
  return reshape(end, words.shape)
}

/** Builds the embeddings and the first `count` layers of an encoder, without dropout. */
export function lowerLayers(
  config: EncoderConfig,
  words: Value,
  mask: Value,
  count: number,
): Value {
  const stretch = { from: 0, to: count, drop: keep }
  const places = attentionPositions(config, mask)
  return reshape(layers(config, embed(config, words), places, stretch), words.shape)
}

/** Builds the layers above `lowerLayers`; their input is the hidden states of `lowerLayers`. */
export function upperLayers(
  config: EncoderConfig,
  hidden: Value,
  mask: Value,
  { drop, from }: DropPlaces,
): Value {
  const x = reshape(hidden, ['tokens', config.hidden])
  const stretch = { from, to: config.layers, drop }
  const places = attentionPositions(config, mask)
  return reshape(layers(config, x, places, stretch), hidden.shape)
}

/** Returns its input: no dropout. */
export const keep: Drop = (x) => x

/**
 * Builds the layers from one number up to, but not including, another; hidden states are tokens ×
 * hidden.
 */
function layers(
  config: EncoderConfig,
  hidden: Value,
  places: (layer: number) => Positions,
  { from, to, drop }: { from: number; to: number; drop: Drop },
): Value {
  const { layer: namesOf, finalNorm }: Family = families[config.family]
  const norm = (x: Value, name: string | undefined) => (name ? normalized(config, x, name) : x)
  let x = hidden
  for (let layer = from; layer < to; layer++) {
    const names = namesOf(layer)
    const attend = (from: Value) =>
      drop(attention(config, names, from, places(layer), drop), 'hidden')
    const feed = (from: Value) => drop(feedForward(config, names, from), 'hidden')
    if (finalNorm) {
      x = add(x, attend(norm(x, names.attentionNorm)))
      x = add(x, feed(norm(x, names.outputNorm)))
    } else {
      x = norm(add(x, attend(x)), names.attentionNorm)
      x = norm(add(x, feed(x)), names.outputNorm)
    }
  }
  return finalNorm && to === config.layers ? norm(x, finalNorm) : x
}

/**
 * Adds the embeddings of a token, of its position and of its segment type, and normalizes the sum.
 */
function embed(config: EncoderConfig, words: Value, types?: Value): Value {
  const { hidden, tokenTypes } = config
  const { graph } = words
  const { positions: kind, norm }: Family = families[config.family]
  const table = (name: string, rows: number) => graph.parameter(name, [rows, hidden])
  let x = words
  if (kind !== 'rotary') {
    const places = table(POSITIONS, config.positions)
    x = add(x, gather(places, positions(words, 'length', config.firstPosition)))
  }
  if (tokenTypes > 0) {
    // A single text is one segment: all its tokens have the first segment type.
    const kinds = types ?? graph.constant(BigInt64Array.of(0n))
    x = add(x, gather(table(TOKEN_TYPES, tokenTypes), kinds))
  }
  return normalized(config, reshape(x, ['tokens', hidden]), norm)
}

/** Builds the attention of a layer; hidden states are tokens × hidden. */
function attention(
  config: EncoderConfig,
  names: LayerNames,
  x: Value,
  { bias, turn }: Positions,
  drop: Drop,
): Value {
  const { hidden, heads } = config
  const perHead = hidden / heads
  const { withoutBias }: Family = families[config.family]
  const [query, key, value] = projected(config, names, x)
  // Angles are the same for all heads: with heads before tokens, rotation works on contiguous
  // memory.
  const turned = (x: Value) => turn(transpose(x, [0, 2, 1, 3]))
  const scores = matmul(turned(query), transpose(turned(key), [0, 1, 3, 2]))
  const weights = softmax(add(multiply(scores, 1 / Math.sqrt(perHead)), bias))
  const seen = matmul(drop(weights, 'attention'), transpose(value, [0, 2, 1, 3]))
  const together = reshape(transpose(seen, [0, 2, 1, 3]), ['tokens', hidden])
  return dense(together, names.attentionOutput, hidden, hidden, !withoutBias)
}

/** Computes query, key and value, each batch × length × heads × numbers per head. */
function projected(config: EncoderConfig, names: LayerNames, x: Value): [Value, Value, Value] {
  const { hidden, heads } = config
  const { withoutBias }: Family = families[config.family]
  const shape = ['batch', 'length', heads, hidden / heads]
  const { projections } = names
  if (projections.length > 1) {
    return projections.map((name) => {
      return reshape(dense(x, name, hidden, hidden, !withoutBias), shape)
    }) as [Value, Value, Value]
  }
  const all = dense(x, projections[0]!, hidden, 3 * hidden, !withoutBias)
  const three = reshape(all, shape.toSpliced(2, 0, 3))
  return [0n, 1n, 2n].map((which) => {
    return gather(three, x.graph.constant(BigInt64Array.of(which)), 2)
  }) as [Value, Value, Value]
}

/** Builds the feed-forward block of a layer, which treats each token separately. */
function feedForward(config: EncoderConfig, names: LayerNames, x: Value): Value {
  const { hidden, intermediate, activation } = config
  const { withoutBias }: Family = families[config.family]
  const layer = (name: string, size: number) => dense(x, name, hidden, size, !withoutBias)
  const inner = () => {
    const { up, gate } = names
    if (!gate) return activate(activation, layer(up, intermediate))
    if (gate !== up) {
      return multiply(activate(activation, layer(gate, intermediate)), layer(up, intermediate))
    }
    const both = layer(up, 2 * intermediate)
    return multiply(activate(activation, half(both, 0)), half(both, 1))
  }
  return dense(inner(), names.down, intermediate, hidden, !withoutBias)
}

function activate(activation: Activation, x: Value): Value {
  if (activation === 'relu') return relu(x)
  if (activation === 'silu') return silu(x)
  return gelu(x, activation === 'gelu' ? 'none' : 'tanh')
}

/** Builds a linear layer from the name of its parameters. */
function dense(x: Value, name: string, from: number, to: number, bias = true): Value {
  const weight = x.graph.parameter(`${name}.weight`, [to, from])
  return linear(x, weight, bias ? x.graph.parameter(`${name}.bias`, [to]) : undefined)
}

/** Builds a layer normalization from the name of its parameters. */
function normalized(config: EncoderConfig, x: Value, name: string): Value {
  const { hidden, epsilon } = config
  const { withoutBias }: Family = families[config.family]
  const gamma = x.graph.parameter(`${name}.weight`, [hidden])
  const beta = withoutBias === 'all' ? undefined : x.graph.parameter(`${name}.bias`, [hidden])
  return layerNorm(x, gamma, beta, epsilon)
}

/** Computes the score of each pair, batch × 1, from the hidden state of its first token. */
export function score({ family, hidden }: EncoderConfig, states: Value): Value {
  const { score: names }: Family = families[family]
  const first = gather(states, states.graph.constant(BigInt64Array.of(0n)), 1)
  const inner = unary('Tanh', dense(first, names!.dense, hidden, hidden))
  return dense(inner, names!.out, hidden, 1)
}
