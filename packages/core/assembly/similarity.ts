/** What happens to a whole similarity matrix between the Gram matrix and the neighbours. */

import { word } from './address'

/** As in src/cosine.ts: below this, inverse lengths would overflow. */
const SMALLEST_SQUARE: f32 = 1e-30

/**
 * Inner products become cosines: S[i, j] / (|i| · |j|), the upper triangle read,
 * both written. A row without length is similar to nothing but itself.
 * `inverse` is room for `count` floats.
 */
export function cosine(s: usize, count: i32, rows: i32, inverse: usize): void {
  for (let i = 0; i < count; i++) {
    const square = load<f32>(word(s, i * rows + i))
    store<f32>(word(inverse, i), square >= SMALLEST_SQUARE ? <f32>(1 / Math.sqrt(<f64>square)) : 0)
  }
  for (let i = 0; i < count; i++) {
    const own = load<f32>(word(inverse, i))
    const diagonal = word(s, i * rows + i)
    store<f32>(diagonal, own > 0 ? load<f32>(diagonal) * (own * own) : 1)
    for (let j = i + 1; j < count; j++) {
      const at = word(s, i * rows + j)
      const value = load<f32>(at) * (own * load<f32>(word(inverse, j)))
      store<f32>(at, value)
      store<f32>(word(s, j * rows + i), value)
    }
  }
}

/** G = weight · S, or G += weight · S: one view joins the graph. */
export function blend(s: usize, graph: usize, rows: i32, weight: f32, first: bool): void {
  const end = word(s, rows * rows)
  const factor = f32x4.splat(weight)
  while (s < end) {
    const term = f32x4.mul(v128.load(s), factor)
    v128.store(graph, first ? term : f32x4.add(v128.load(graph), term))
    s += 16
    graph += 16
  }
}

/** Divides each row by its largest value, or by its mean + 1e-8. */
export function scale(s: usize, count: i32, rows: i32, byMean: bool): void {
  for (let i = 0; i < count; i++) {
    const row = word(s, i * rows)
    let largest = load<f32>(row)
    let sum: f64 = 0
    for (let j = 0; j < count; j++) {
      const value = load<f32>(word(row, j))
      largest = max(largest, value)
      sum += <f64>value
    }
    const divisor = byMean ? sum / <f64>count + 1e-8 : <f64>largest
    for (let j = 0; j < count; j++) {
      const at = word(row, j)
      store<f32>(at, divisor == 0 ? 0 : finite(<f64>load<f32>(at) / divisor))
    }
  }
}

/** A tiny divisor must not make an infinity that turns into NaN later. */
function finite(value: f64): f32 {
  return <f32>max<f64>(-f32.MAX_VALUE, min<f64>(f32.MAX_VALUE, value))
}
