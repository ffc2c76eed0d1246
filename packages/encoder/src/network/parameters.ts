import type { Value } from '../graph/graph.ts'
import { linear } from '../graph/linear.ts'
import { layerNorm } from '../graph/normalize.ts'
import type { EncoderConfig } from '../model/config.ts'
import { type Family, families } from '../model/families.ts'

/** A linear layer under the stem of its parameters. */
export function dense(x: Value, name: string, from: number, to: number, bias = true): Value {
  const weight = x.graph.parameter(`${name}.weight`, [to, from])
  return linear(x, weight, bias ? x.graph.parameter(`${name}.bias`, [to]) : undefined)
}

/** Layer normalization under the stem of its parameters. */
export function normalized(config: EncoderConfig, x: Value, name: string): Value {
  const { hidden, epsilon } = config
  const { withoutBias }: Family = families[config.family]
  const gamma = x.graph.parameter(`${name}.weight`, [hidden])
  const beta = withoutBias === 'all' ? undefined : x.graph.parameter(`${name}.bias`, [hidden])
  return layerNorm(x, gamma, beta, epsilon)
}
