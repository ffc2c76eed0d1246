import type { Dim, Value } from './graph.ts'

/** The same numbers under another shape. */
export function reshape(x: Value, shape: readonly Dim[]): Value {
  const unknown = shape.filter((dim) => typeof dim === 'string').length
  // One unknown size follows from the others, more are looked up.
  const sizes = unknown > 1 ? sizesOf(x, shape) : constantSizes(x, shape)
  const gradients = [(g: Value) => reshape(g, x.shape)]
  const { dtype } = x
  return x.graph.node('Reshape', [x, sizes], [shape], { dtype, gradients })[0]!
}

/** The axes in another order. */
export function transpose(x: Value, order: readonly number[]): Value {
  const shape = order.map((axis) => x.shape[axis]!)
  const back = order.map((_, axis) => order.indexOf(axis))
  return x.graph.node('Transpose', [x], [shape], {
    attributes: { perm: order },
    gradients: [(g) => transpose(g, back)],
  })[0]!
}

/** Axes of size 1 repeated to a shape. A gradient has no gradient of its own. */
export function expand(x: Value, shape: readonly Dim[]): Value {
  return x.graph.node('Expand', [x, sizesOf(x, shape)], [shape])[0]!
}

/** As many whole numbers as a named axis of `x` has, counted from the first. */
export function positions(x: Value, axis: string, first = 0): Value {
  const { graph } = x
  const size = graph.node('Squeeze', [graph.dim(axis)], [[]], { dtype: 'int64' })[0]!
  const [start, step] = [first, 1].map((n) => graph.constant(BigInt64Array.of(BigInt(n))))
  const end = first > 0 ? graph.node('Add', [size, start!], [[]], { dtype: 'int64' })[0]! : size
  return graph.node('Range', [start!, end, step!], [[axis]], { dtype: 'int64' })[0]!
}

/** A shape when the graph runs, as a vector of sizes. */
function sizesOf(x: Value, shape: readonly Dim[]): Value {
  if (shape.every((dim) => typeof dim === 'number')) return constantSizes(x, shape)
  const { graph } = x
  const fixed = (dim: number) => graph.constant(BigInt64Array.of(BigInt(dim)), [1])
  const parts = shape.map((dim) => (typeof dim === 'string' ? graph.dim(dim) : fixed(dim)))
  return graph.node('Concat', parts, [[shape.length]], {
    attributes: { axis: 0 },
    dtype: 'int64',
  })[0]!
}

/** The sizes of a shape, with −1 for one that is not known. */
function constantSizes({ graph }: Value, shape: readonly Dim[]): Value {
  const sizes = shape.map((dim) => (typeof dim === 'string' ? -1n : BigInt(dim)))
  return graph.constant(BigInt64Array.from(sizes), [shape.length])
}
