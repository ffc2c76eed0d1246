import { KithError } from '@kith/core'
import {
  add,
  divide,
  multiply,
  reshape,
  squareRoot,
  subtract,
  sum,
  sumTo,
  transpose,
  unary,
} from './arithmetic.ts'
import type { Dim, Value } from './graph.ts'

/**
 * Computes x · wᵀ + bias, by row: x is rows × in, w is out × in (as checkpoints store it), bias is
 * out or missing.
 */
export function linear(x: Value, w: Value, bias?: Value): Value {
  const [rows, width] = x.shape
  const [out, expected] = w.shape
  if (x.shape.length !== 2 || w.shape.length !== 2 || width !== expected) {
    throw new KithError(
      'BAD_SHAPE',
      `cannot apply a linear layer of shape ${w.shape} to the shape ${x.shape}`,
    )
  }
  const { graph } = x
  return graph.node('Gemm', bias ? [x, w, bias] : [x, w], [[rows!, out!]], {
    attributes: { transB: 1 },
    gradients: [
      (g) => graph.node('Gemm', [g, w], [x.shape])[0]!,
      (g) => graph.node('Gemm', [g, x], [w.shape], { attributes: { transA: 1 } })[0]!,
      ...(bias ? [(g: Value) => sumTo(g, bias.shape)] : []),
    ],
  })[0]!
}

/** Multiplies matrices over the last two axes; the leading axes of both are equal. */
export function matmul(a: Value, b: Value): Value {
  const outer = a.shape.slice(0, -2)
  const [rows, inner] = a.shape.slice(-2)
  const [expected, columns] = b.shape.slice(-2)
  const fits = inner === expected && outer.every((dim, i) => dim === b.shape[i])
  if (a.shape.length < 2 || a.shape.length !== b.shape.length || !fits) {
    throw new KithError(
      'BAD_SHAPE',
      `cannot multiply matrices of the shapes ${a.shape} and ${b.shape}`,
    )
  }
  const shape: Dim[] = [...outer, rows!, columns!]
  return a.graph.node('MatMul', [a, b], [shape], {
    gradients: [(g) => matmul(g, turned(b)), (g) => matmul(turned(a), g)],
  })[0]!
}

/** Swaps the last two axes. */
function turned(x: Value): Value {
  const axes = x.shape.map((_, axis) => axis)
  return transpose(x, [...axes.slice(0, -2), ...axes.slice(-2).reverse()])
}

/** Takes the slices of `table` along an axis at `indices`; a single index drops the axis. */
export function gather(table: Value, indices: Value, axis = 0): Value {
  const shape = [...table.shape.slice(0, axis), ...indices.shape, ...table.shape.slice(axis + 1)]
  return table.graph.node('Gather', [table, indices], [shape], {
    attributes: { axis },
    gradients: [
      (g) =>
        indices.shape.length === 0
          ? placed(g, table, indices, axis)
          : scattered(g, table, indices, axis),
    ],
  })[0]!
}

/** Returns a single slice's gradient at the slice's place, and 0 elsewhere. */
function placed(gradient: Value, table: Value, index: Value, axis: number): Value {
  const here = table.shape.map((dim, i) => (i === axis ? dim : 1))
  const slice = table.shape.map((dim, i) => (i === axis ? 1 : dim))
  return multiply(
    reshape(gradient, slice),
    reshape(oneHot(reshape(index, [1]), table.shape[axis]!), here),
  )
}

/**
 * Sums the gradients of rows that were taken several times, as a matrix product. For tables of
 * thousands of rows this is wasteful: a trainer that knows the indices feeds the rows themselves,
 * and sums their gradients itself.
 */
function scattered(gradient: Value, table: Value, indices: Value, axis: number): Value {
  const [rows, width] = table.shape
  if (axis !== 0 || table.shape.length !== 2 || indices.shape.length !== 1) {
    const what = `gather of ${indices.shape} from axis ${axis} of ${table.shape}`
    throw new KithError('BAD_SHAPE', `${what} has no gradient rule`)
  }
  const taken = oneHot(indices, rows!)
  return matmul(transpose(taken, [1, 0]), reshape(gradient, [indices.shape[0]!, width!]))
}

/** Returns a row per index, with 1 at the index and 0 elsewhere. */
function oneHot(indices: Value, size: Dim): Value {
  const { graph } = indices
  const depth =
    typeof size === 'string' ? graph.dim(size) : graph.constant(BigInt64Array.of(BigInt(size)), [1])
  const values = graph.constant(Float32Array.of(0, 1), [2])
  return graph.node('OneHot', [indices, depth, values], [[...indices.shape, size]])[0]!
}

/** Returns one of the two halves of the last axis, which has an even size. */
export function half(x: Value, which: 0 | 1): Value {
  const outer = x.shape.slice(0, -1)
  const pair = reshape(x, [...outer, 2, Number(x.shape.at(-1)) / 2])
  return gather(pair, x.graph.constant(BigInt64Array.of(BigInt(which))), outer.length)
}

/** Concatenates two values of the same shape along the last axis. */
export function beside(a: Value, b: Value): Value {
  const shape = a.shape.with(-1, 2 * Number(a.shape.at(-1)))
  return a.graph.node('Concat', [a, b], [shape], {
    attributes: { axis: -1 },
    gradients: [(g) => half(g, 0), (g) => half(g, 1)],
  })[0]!
}

/**
 * Normalizes each row: subtracts its mean, divides by its standard deviation, multiplies by gamma,
 * and adds beta if there is one.
 */
export function layerNorm(x: Value, gamma: Value, beta: Value | undefined, epsilon: number): Value {
  const { graph, shape } = x
  const attributes = { axis: -1, epsilon: { float: epsilon } }
  let parts: Value[] | undefined
  /** Returns the row before gamma and beta, its mean, and 1 over its standard deviation. */
  const standard = () => {
    if (!parts) {
      const width = Number(shape.at(-1))
      const ones = graph.constant(new Float32Array(width).fill(1), [width])
      const perRow = shape.with(-1, 1)
      parts = graph.node('LayerNormalization', [x, ones], [shape, perRow, perRow], { attributes })
    }
    return parts as [Value, Value, Value]
  }
  const inputs = beta ? [x, gamma, beta] : [x, gamma]
  return graph.node('LayerNormalization', inputs, [shape], {
    attributes,
    gradients: [
      (g) => {
        const [row, , inverse] = standard()
        const scaled = multiply(g, gamma)
        const along = multiply(row, mean(multiply(scaled, row)))
        return multiply(subtract(subtract(scaled, mean(scaled)), along), inverse)
      },
      (g) => sumTo(multiply(g, standard()[0]), gamma.shape),
      ...(beta ? [(g: Value) => sumTo(g, beta.shape)] : []),
    ],
  })[0]!
}

/** Computes the softmax along the last axis: positive numbers with sum 1. */
export function softmax(x: Value): Value {
  const y: Value = x.graph.node('Softmax', [x], [x.shape], {
    attributes: { axis: -1 },
    gradients: [(g) => multiply(y, subtract(g, sum(multiply(g, y), lastAxis(x))))],
  })[0]!
  return y
}

/** Computes the logarithm of `softmax`, also if the softmax itself underflows. */
export function logSoftmax(x: Value): Value {
  const y: Value = x.graph.node('LogSoftmax', [x], [x.shape], {
    attributes: { axis: -1 },
    gradients: [(g) => subtract(g, multiply(unary('Exp', y), sum(g, lastAxis(x))))],
  })[0]!
  return y
}

/** Computes ln Σ eˣ along the last axis, which remains with size 1. */
export function logSumExp(x: Value): Value {
  const axes = x.graph.constant(BigInt64Array.of(BigInt(lastAxis(x))), [1])
  const y: Value = x.graph.node('ReduceLogSumExp', [x, axes], [x.shape.with(-1, 1)], {
    attributes: { keepdims: 1 },
    gradients: [(g) => multiply(g, unary('Exp', subtract(x, y)))],
  })[0]!
  return y
}

/** The length below which a vector is not scaled up any further. */
const LEAST_LENGTH = 1e-12

/** Scales rows to length 1. */
export function unitLength(x: Value): Value {
  const squares = sum(multiply(x, x), lastAxis(x))
  return divide(x, squareRoot(add(squares, LEAST_LENGTH ** 2)))
}

function mean(x: Value): Value {
  return divide(sum(x, lastAxis(x)), Number(x.shape.at(-1)))
}

function lastAxis({ shape }: Value): number {
  return shape.length - 1
}

/** Computes max(x, 0). */
export function relu(x: Value): Value {
  const y = unary('Relu', x, (g) => multiply(g, unary('Sign', y)))
  return y
}

/**
 * Computes x · Φ(x), with the error function, or with the tanh approximation that some models use.
 */
export function gelu(x: Value, approximate: 'none' | 'tanh' = 'none'): Value {
  const slope = approximate === 'none' ? geluSlope : geluTanhSlope
  return x.graph.node('Gelu', [x], [x.shape], {
    attributes: { approximate },
    gradients: [(g) => multiply(g, slope(x))],
  })[0]!
}

/** Computes x · 1/(1 + e⁻ˣ). */
export function silu(x: Value): Value {
  const sigmoid = unary('Sigmoid', x, (g) => {
    return multiply(multiply(g, sigmoid), add(multiply(sigmoid, -1), 1))
  })
  return multiply(x, sigmoid)
}

/** Computes ln(1 + eˣ). */
export function softplus(x: Value): Value {
  return unary('Softplus', x, (g) => multiply(g, unary('Sigmoid', x)))
}

/**
 * Computes Φ(x) + x · φ(x), with the distribution function and the density of the normal
 * distribution.
 */
function geluSlope(x: Value): Value {
  const below = add(multiply(unary('Erf', multiply(x, Math.SQRT1_2)), 0.5), 0.5)
  const density = unary('Exp', multiply(multiply(x, x), -0.5))
  return add(below, multiply(multiply(x, 1 / Math.sqrt(2 * Math.PI)), density))
}

/** Computes the derivative of ½x(1 + tanh(c(x + ax³))). */
function geluTanhSlope(x: Value): Value {
  const [c, a] = [Math.sqrt(2 / Math.PI), 0.044715]
  const square = multiply(x, x)
  const inner = multiply(x, add(multiply(square, a * c), c))
  const tanh = unary('Tanh', inner)
  const innerSlope = add(multiply(square, 3 * a * c), c)
  const tanhSlope = multiply(add(multiply(multiply(tanh, tanh), -1), 1), innerSlope)
  return multiply(add(add(tanh, 1), multiply(x, tanhSlope)), 0.5)
}
