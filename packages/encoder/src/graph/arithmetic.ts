import { KithError } from '@kith/core'
import type { Dim, GradientRule, Value } from './graph.ts'

/** Computes a + b. Axes of size 1 and missing leading axes are broadcast, here and below. */
export function add(a: Value, b: Value | number): Value {
  const other = asValue(a, b)
  return binary('Add', a, other, [(g) => g, (g) => g])
}

/** Computes a − b. */
export function subtract(a: Value, b: Value): Value {
  return binary('Sub', a, b, [(g) => g, (g) => multiply(g, -1)])
}

/** Computes a · b. */
export function multiply(a: Value, b: Value | number): Value {
  const other = asValue(a, b)
  return binary('Mul', a, other, [(g) => multiply(g, other), (g) => multiply(g, a)])
}

/** Computes a / b. */
export function divide(a: Value, b: Value | number): Value {
  const other = asValue(a, b)
  const quotient = binary('Div', a, other, [
    (g) => divide(g, other),
    (g) => multiply(divide(multiply(g, quotient), other), -1),
  ])
  return quotient
}

/** Computes √x. */
export function squareRoot(x: Value): Value {
  const root = unary('Sqrt', x, (g) => divide(g, multiply(root, 2)))
  return root
}

/** Converts whole numbers to floats. */
export function toFloat(x: Value): Value {
  const FLOAT = 1
  return x.graph.node('Cast', [x], [x.shape], { attributes: { to: FLOAT } })[0]!
}

/** Applies an operation to each number. */
export function unary(type: string, x: Value, gradient?: GradientRule): Value {
  return x.graph.node(type, [x], [x.shape], { gradients: [gradient] })[0]!
}

function asValue({ graph }: Value, b: Value | number): Value {
  return typeof b === 'number' ? graph.constant(Float32Array.of(b)) : b
}

function binary(type: string, a: Value, b: Value, rules: [GradientRule, GradientRule]): Value {
  const gradients = [a, b].map(
    ({ shape }, i): GradientRule =>
      (g) =>
        sumTo(rules[i]!(g), shape),
  )
  return a.graph.node(type, [a, b], [broadcast(a.shape, b.shape)], { gradients })[0]!
}

function broadcast(a: readonly Dim[], b: readonly Dim[]): Dim[] {
  const rank = Math.max(a.length, b.length)
  return Array.from({ length: rank }, (_, i) => {
    const x = a[i - rank + a.length] ?? 1
    const y = b[i - rank + b.length] ?? 1
    if (x === y || y === 1) return x
    if (x === 1) return y
    throw new KithError('BAD_SHAPE', `shapes ${a} and ${b} cannot be broadcast together`)
  })
}

/** Sums along an axis, which remains with size 1. */
export function sum(x: Value, axis: number): Value {
  return sumOver(x, [axis])
}

/** Sums a broadcast value to its original shape: the gradient of broadcasting. */
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

/** Changes the shape of a value. */
export function reshape(x: Value, shape: readonly Dim[]): Value {
  const unknown = shape.filter((dim) => typeof dim === 'string').length
  // One unknown size follows from the others; further unknown sizes are determined when the graph
  // runs.
  const sizes = unknown > 1 ? sizesOf(x, shape) : constantSizes(x, shape)
  const gradients = [(g: Value) => reshape(g, x.shape)]
  const { dtype } = x
  return x.graph.node('Reshape', [x, sizes], [shape], { dtype, gradients })[0]!
}

/** Reorders the axes. */
export function transpose(x: Value, order: readonly number[]): Value {
  const shape = order.map((axis) => x.shape[axis]!)
  const back = order.map((_, axis) => order.indexOf(axis))
  return x.graph.node('Transpose', [x], [shape], {
    attributes: { perm: order },
    gradients: [(g) => transpose(g, back)],
  })[0]!
}

/** Broadcasts axes of size 1 to a shape. Only gradients use it, so it has no gradient rule. */
function expand(x: Value, shape: readonly Dim[]): Value {
  return x.graph.node('Expand', [x, sizesOf(x, shape)], [shape])[0]!
}

/**
 * Returns as many consecutive whole numbers as a named axis of `x` has elements, starting with
 * `first`.
 */
export function positions(x: Value, axis: string, first = 0): Value {
  const { graph } = x
  const size = graph.node('Squeeze', [graph.dim(axis)], [[]], { dtype: 'int64' })[0]!
  const [start, step] = [first, 1].map((n) => graph.constant(BigInt64Array.of(BigInt(n))))
  const end = first > 0 ? graph.node('Add', [size, start!], [[]], { dtype: 'int64' })[0]! : size
  return graph.node('Range', [start!, end, step!], [[axis]], { dtype: 'int64' })[0]!
}

/** Returns a shape when the graph runs, as a vector of sizes. */
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

/** Returns the sizes of a shape, with −1 for an unknown size. */
function constantSizes({ graph }: Value, shape: readonly Dim[]): Value {
  const sizes = shape.map((dim) => (typeof dim === 'string' ? -1n : BigInt(dim)))
  return graph.constant(BigInt64Array.from(sizes), [shape.length])
}
