import { add, divide, multiply, squareRoot, subtract, unary } from './elementwise.ts'
import type { Value } from './graph.ts'
import { sum, sumTo } from './reduce.ts'

/** Each row less its mean, over its deviation, times gamma, plus beta, if there is one. */
export function layerNorm(x: Value, gamma: Value, beta: Value | undefined, epsilon: number): Value {
  const { graph, shape } = x
  const attributes = { axis: -1, epsilon: { float: epsilon } }
  let parts: Value[] | undefined
  /** The row before gamma and beta, its mean, and 1 over its deviation. */
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

/** Along the last axis: positive, and the sum 1. */
export function softmax(x: Value): Value {
  const y: Value = x.graph.node('Softmax', [x], [x.shape], {
    attributes: { axis: -1 },
    gradients: [(g) => multiply(y, subtract(g, sum(multiply(g, y), lastAxis(x))))],
  })[0]!
  return y
}

/** The logarithm of `softmax`, also where that is too small for a float. */
export function logSoftmax(x: Value): Value {
  const y: Value = x.graph.node('LogSoftmax', [x], [x.shape], {
    attributes: { axis: -1 },
    gradients: [(g) => subtract(g, multiply(unary('Exp', y), sum(g, lastAxis(x))))],
  })[0]!
  return y
}

/** ln Σ eˣ along the last axis, which stays, of size 1. */
export function logSumExp(x: Value): Value {
  const axes = x.graph.constant(BigInt64Array.of(BigInt(lastAxis(x))), [1])
  const y: Value = x.graph.node('ReduceLogSumExp', [x, axes], [x.shape.with(-1, 1)], {
    attributes: { keepdims: 1 },
    gradients: [(g) => multiply(g, unary('Exp', subtract(x, y)))],
  })[0]!
  return y
}

/** Below this length a vector is not stretched any further. */
const LEAST_LENGTH = 1e-12

/** Rows of length 1. */
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
