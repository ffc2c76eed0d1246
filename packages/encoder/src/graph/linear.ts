import { KithError } from '@kith/core'
import type { Dim, Value } from './graph.ts'
import { sumTo } from './reduce.ts'
import { transpose } from './shape.ts'

/** x · wᵀ + bias, over rows: x is rows × in, w out × in (as checkpoints store it), bias out, or none. */
export function linear(x: Value, w: Value, bias?: Value): Value {
  const [rows, width] = x.shape
  const [out, expected] = w.shape
  if (x.shape.length !== 2 || w.shape.length !== 2 || width !== expected) {
    throw new KithError('BAD_SHAPE', `linear layer of ${x.shape} by ${w.shape}`)
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

/** Matrix products over the last two axes; the axes before them are the same in both. */
export function matmul(a: Value, b: Value): Value {
  const outer = a.shape.slice(0, -2)
  const [rows, inner] = a.shape.slice(-2)
  const [expected, columns] = b.shape.slice(-2)
  const fits = inner === expected && outer.every((dim, i) => dim === b.shape[i])
  if (a.shape.length < 2 || a.shape.length !== b.shape.length || !fits) {
    throw new KithError('BAD_SHAPE', `matrix product of ${a.shape} and ${b.shape}`)
  }
  const shape: Dim[] = [...outer, rows!, columns!]
  return a.graph.node('MatMul', [a, b], [shape], {
    gradients: [(g) => matmul(g, turned(b)), (g) => matmul(turned(a), g)],
  })[0]!
}

/** The last two axes exchanged. */
function turned(x: Value): Value {
  const axes = x.shape.map((_, axis) => axis)
  return transpose(x, [...axes.slice(0, -2), ...axes.slice(-2).reverse()])
}
