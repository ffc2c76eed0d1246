import { add, multiply, unary } from './elementwise.ts'
import type { Value } from './graph.ts'

/** x where positive, else 0. */
export function relu(x: Value): Value {
  const y = unary('Relu', x, (g) => multiply(g, unary('Sign', y)))
  return y
}

/** x · Φ(x), by the error function, or by the approximation with tanh that some models use. */
export function gelu(x: Value, approximate: 'none' | 'tanh' = 'none'): Value {
  const slope = approximate === 'none' ? geluSlope : geluTanhSlope
  return x.graph.node('Gelu', [x], [x.shape], {
    attributes: { approximate },
    gradients: [(g) => multiply(g, slope(x))],
  })[0]!
}

/** x · 1/(1 + e⁻ˣ). */
export function silu(x: Value): Value {
  const sigmoid = unary('Sigmoid', x, (g) => {
    return multiply(multiply(g, sigmoid), add(multiply(sigmoid, -1), 1))
  })
  return multiply(x, sigmoid)
}

/** ln(1 + eˣ). */
export function softplus(x: Value): Value {
  return unary('Softplus', x, (g) => multiply(g, unary('Sigmoid', x)))
}

/** Φ(x) + x · φ(x), the normal distribution and its density. */
function geluSlope(x: Value): Value {
  const below = add(multiply(unary('Erf', multiply(x, Math.SQRT1_2)), 0.5), 0.5)
  const density = unary('Exp', multiply(multiply(x, x), -0.5))
  return add(below, multiply(multiply(x, 1 / Math.sqrt(2 * Math.PI)), density))
}

/** The slope of ½x(1 + tanh(c(x + ax³))). */
function geluTanhSlope(x: Value): Value {
  const [c, a] = [Math.sqrt(2 / Math.PI), 0.044715]
  const square = multiply(x, x)
  const inner = multiply(x, add(multiply(square, a * c), c))
  const tanh = unary('Tanh', inner)
  const innerSlope = add(multiply(square, 3 * a * c), c)
  const tanhSlope = multiply(add(multiply(multiply(tanh, tanh), -1), 1), innerSlope)
  return multiply(add(add(tanh, 1), multiply(x, tanhSlope)), 0.5)
}
