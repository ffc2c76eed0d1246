import { KithError } from '@kith/core'
import type { Dim, GradientRule, Value } from './graph.ts'
import { sumTo } from './reduce.ts'

/** a + b; axes of size 1 and missing leading axes are repeated, here and below. */
export function add(a: Value, b: Value | number): Value {
  const other = asValue(a, b)
  return binary('Add', a, other, [(g) => g, (g) => g])
}

/** a − b. */
export function subtract(a: Value, b: Value): Value {
  return binary('Sub', a, b, [(g) => g, (g) => multiply(g, -1)])
}

/** a · b. */
export function multiply(a: Value, b: Value | number): Value {
  const other = asValue(a, b)
  return binary('Mul', a, other, [(g) => multiply(g, other), (g) => multiply(g, a)])
}

/** a / b. */
export function divide(a: Value, b: Value | number): Value {
  const other = asValue(a, b)
  const quotient = binary('Div', a, other, [
    (g) => divide(g, other),
    (g) => multiply(divide(multiply(g, quotient), other), -1),
  ])
  return quotient
}

/** √x. */
export function squareRoot(x: Value): Value {
  const root = unary('Sqrt', x, (g) => divide(g, multiply(root, 2)))
  return root
}

/** Whole numbers as floats. */
export function toFloat(x: Value): Value {
  const FLOAT = 1
  return x.graph.node('Cast', [x], [x.shape], { attributes: { to: FLOAT } })[0]!
}

/** A function of each number by itself. */
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
    throw new KithError('BAD_SHAPE', `shapes ${a} and ${b} do not go together`)
  })
}
