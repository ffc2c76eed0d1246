import { gelu, relu, silu } from '../graph/activation.ts'
import { multiply } from '../graph/elementwise.ts'
import type { Value } from '../graph/graph.ts'
import { half } from '../graph/halves.ts'
import type { Activation, EncoderConfig } from '../model/config.ts'
import { type Family, families, type LayerNames } from '../model/families.ts'
import { dense } from './parameters.ts'

/** Each token by itself, through more numbers than it has, and back. */
export function feedForward(config: EncoderConfig, names: LayerNames, x: Value): Value {
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
