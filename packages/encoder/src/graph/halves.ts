import { gather } from './gather.ts'
import type { Value } from './graph.ts'
import { reshape } from './shape.ts'

/** One of the two halves of the last axis, which has an even size. */
export function half(x: Value, which: 0 | 1): Value {
  const outer = x.shape.slice(0, -1)
  const pair = reshape(x, [...outer, 2, Number(x.shape.at(-1)) / 2])
  return gather(pair, x.graph.constant(BigInt64Array.of(BigInt(which))), outer.length)
}

/** Two values of one shape beside each other, along the last axis. */
export function beside(a: Value, b: Value): Value {
  const shape = a.shape.with(-1, 2 * Number(a.shape.at(-1)))
  return a.graph.node('Concat', [a, b], [shape], {
    attributes: { axis: -1 },
    gradients: [(g) => half(g, 0), (g) => half(g, 1)],
  })[0]!
}
