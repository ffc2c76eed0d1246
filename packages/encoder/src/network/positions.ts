import {
  add,
  multiply,
  positions,
  reshape,
  subtract,
  toFloat,
  transpose,
  unary,
} from '../graph/arithmetic.ts'
import { beside, gather, half } from '../graph/blocks.ts'
import type { Graph, Value } from '../graph/graph.ts'
import type { EncoderConfig } from '../model/config.ts'
import { DISTANCES, type Family, families } from '../model/families.ts'

/** The bias on the score of a masked token: its weight after softmax is exactly 0. */
const MASKED = -1e9

/** The position information for the attention of a layer. */
export interface Positions {
  /** The bias that is added to attention scores. */
  bias: Value
  /** Rotates queries or keys, batch × heads × length × numbers per head, by their positions. */
  turn(x: Value): Value
}

/**
 * Builds the position information for the attention of each layer, including the padding mask.
 *
 * @param mask 1 for tokens, 0 for padding, batch × length.
 */
export function attentionPositions(
  config: EncoderConfig,
  mask: Value,
): (layer: number) => Positions {
  const { positions: kind }: Family = families[config.family]
  const padding = paddingBias(mask)
  const keep = (x: Value) => x
  if (kind === 'table') return () => ({ bias: padding, turn: keep })
  if (kind === 'table and distances') {
    const bias = add(padding, distanceBias(config, mask))
    return () => ({ bias, turn: keep })
  }
  const { theta, local } = config.rotary!
  const everywhere = { bias: padding, turn: rotation(config, mask, theta) }
  if (!local) return () => everywhere
  const nearby = {
    bias: add(padding, farBias(mask, Math.floor(local.window / 2))),
    turn: rotation(config, mask, local.theta),
  }
  return (layer) => (layer % local.globalEvery === 0 ? everywhere : nearby)
}

/** Returns 0 for tokens and a large negative number for padding, batch × 1 × 1 × length. */
function paddingBias(mask: Value): Value {
  const padding = add(multiply(toFloat(mask), -1), 1)
  return reshape(multiply(padding, MASKED), [mask.shape[0]!, 1, 1, mask.shape[1]!])
}

/** Returns a large negative number for tokens more than `reach` apart, else 0, length × length. */
function farBias(mask: Value, reach: number): Value {
  const distance = unary('Abs', toFloat(distances(mask)))
  const beyond = unary('Relu', add(distance, -reach))
  return multiply(unary('Sign', beyond), MASKED)
}

/** Returns each head's learned bias for the distance of two tokens, heads × length × length. */
function distanceBias({ heads, positions: most }: EncoderConfig, mask: Value): Value {
  const { graph } = mask
  const table = graph.parameter(DISTANCES, [BUCKETS, heads])
  // The buckets of all distances, starting with −(most − 1).
  const buckets = Array.from({ length: 2 * most - 1 }, (_, i) => BigInt(bucketOf(i - most + 1)))
  const all = graph.constant(BigInt64Array.from(buckets), [buckets.length])
  const indices = whole(graph, 'Add', distances(mask), BigInt(most - 1))
  const flat = reshape(indices, ['pairs'])
  const found = graph.node('Gather', [all, flat], [['pairs']], {
    attributes: { axis: 0 },
    dtype: 'int64',
  })[0]!
  return transpose(reshape(gather(table, found), ['length', 'length', heads]), [2, 0, 1])
}

/**
 * Returns the position of the attended token minus the position of the attending token, length ×
 * length.
 */
function distances(mask: Value): Value {
  const { graph } = mask
  const places = positions(mask, 'length')
  const shape = ['length', 'length']
  return graph.node(
    'Sub',
    [reshape(places, [1, 'length']), reshape(places, ['length', 1])],
    [shape],
    {
      dtype: 'int64',
    },
  )[0]!
}

function whole(graph: Graph, type: string, x: Value, by: bigint): Value {
  const other = graph.constant(BigInt64Array.of(by))
  return graph.node(type, [x, other], [x.shape], { dtype: 'int64' })[0]!
}

/**
 * Rotates pairs of numbers, one from each half of a head, by an angle that grows with the position:
 * the score of a query and a key then depends on their distance.
 */
function rotation({ hidden, heads }: EncoderConfig, mask: Value, theta: number): Positions['turn'] {
  const { graph } = mask
  const count = hidden / heads / 2
  const speeds = Float32Array.from({ length: count }, (_, i) => 1 / theta ** (i / count))
  const places = reshape(toFloat(positions(mask, 'length')), ['length', 1])
  const angles = multiply(places, graph.constant(speeds, [1, count]))
  const [cos, sin] = [unary('Cos', angles), unary('Sin', angles)]
  return (x) => {
    const [a, b] = [half(x, 0), half(x, 1)]
    const first = subtract(multiply(a, cos), multiply(b, sin))
    return beside(first, add(multiply(b, cos), multiply(a, sin)))
  }
}

/**
 * The number of buckets of distances that share a learned bias; half of them for each direction.
 */
const BUCKETS = 32

/** The distance from which all distances share the last bucket of their direction. */
const FARTHEST = 128

/**
 * Returns the bucket of a distance, as in MPNet and T5: small distances have a bucket each, larger
 * distances share buckets whose width grows exponentially.
 */
function bucketOf(distance: number): number {
  const perSide = BUCKETS / 2
  const exact = perSide / 2
  const side = distance > 0 ? perSide : 0
  const size = Math.abs(distance)
  if (size < exact) return side + size
  const steps = (Math.log(size / exact) / Math.log(FARTHEST / exact)) * (perSide - exact)
  return side + Math.min(perSide - 1, exact + Math.floor(steps))
}
