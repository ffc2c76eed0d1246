import { add, multiply } from '../graph/elementwise.ts'
import { gather } from '../graph/gather.ts'
import type { Value } from '../graph/graph.ts'
import { matmul } from '../graph/linear.ts'
import { softmax } from '../graph/normalize.ts'
import { reshape, transpose } from '../graph/shape.ts'
import type { EncoderConfig } from '../model/config.ts'
import { type Family, families, type LayerNames } from '../model/families.ts'
import type { Drop } from './layers.ts'
import { dense } from './parameters.ts'
import type { Positions } from './positions.ts'

/** How each token sees the others of its text; hidden states are tokens × hidden. */
export function attention(
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
  // Angles are the same for all heads: with heads before tokens, turning takes them in one piece.
  const turned = (x: Value) => turn(transpose(x, [0, 2, 1, 3]))
  const scores = matmul(turned(query), transpose(turned(key), [0, 1, 3, 2]))
  const weights = softmax(add(multiply(scores, 1 / Math.sqrt(perHead)), bias))
  const seen = matmul(drop(weights, 'attention'), transpose(value, [0, 2, 1, 3]))
  const together = reshape(transpose(seen, [0, 2, 1, 3]), ['tokens', hidden])
  return dense(together, names.attentionOutput, hidden, hidden, !withoutBias)
}

/** Query, key and value, each batch × length × heads × numbers of a head. */
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
