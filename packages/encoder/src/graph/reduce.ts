import type { Dim, Value } from './graph.ts'
import { expand, reshape } from './shape.ts'

/** The sum along an axis, which stays, of size 1. */
export function sum(x: Value, axis: number): Value {
  return sumOver(x, [axis])
}

/** A repeated value, summed to its own shape again: the gradient of repeating it. */
export function sumTo(x: Value, shape: readonly Dim[]): Value {
  const missing = x.shape.length - shape.length
  const axes = x.shape.flatMap((dim, i) => (dim === 1 || dim === shape[i - missing] ? [] : [i]))
  const summed = axes.length > 0 ? sumOver(x, axes) : x
  return missing > 0 ? reshape(summed, shape) : summed
}

function sumOver(x: Value, axes: readonly number[]): Value {
  const { graph } = x
  const named = graph.constant(BigInt64Array.from(axes, BigInt), [axes.length])
  const shape = x.shape.map((dim, i) => (axes.includes(i) ? 1 : dim))
  return graph.node('ReduceSum', [x, named], [shape], {
    attributes: { keepdims: 1 },
    gradients: [(g) => expand(g, x.shape)],
  })[0]!
}
