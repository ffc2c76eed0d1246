import { unary } from '../graph/elementwise.ts'
import { gather } from '../graph/gather.ts'
import type { Value } from '../graph/graph.ts'
import type { EncoderConfig } from '../model/config.ts'
import { type Family, families } from '../model/families.ts'
import { dense } from './parameters.ts'

/** The score of each pair, batch × 1, from the hidden state of its first token. */
export function score({ family, hidden }: EncoderConfig, states: Value): Value {
  const { score: names }: Family = families[family]
  const first = gather(states, states.graph.constant(BigInt64Array.of(0n)), 1)
  const inner = unary('Tanh', dense(first, names!.dense, hidden, hidden))
  return dense(inner, names!.out, hidden, 1)
}
