/** Steps on a whole similarity matrix, between the Gram matrix and the neighbors. */

import { double, word } from './address'

/** As in src/method/similarity-steps.ts. */
const SMALLEST_SQUARE: f32 = 1e-30

/** As in src/method/similarity-steps.ts. */
const SMALLEST_MEAN: f64 = 0.01

/**
 * Inner products become cosines: S[i, j] / (|i| · |j|), the upper triangle read,
 * both written. A row without length is similar to nothing but itself.
 * `lengths` is room for `rows` doubles. In double precision, so that what ties
 * in exact arithmetic ties here too.
 */
export function cosine(s: usize, count: i32, rows: i32, lengths: usize): void {
  for (let i = 0; i < rows; i++) {
    const square = load<f32>(word(s, i * rows + i))
    const long = i < count && square >= SMALLEST_SQUARE
    store<f64>(double(lengths, i), long ? Math.sqrt(<f64>square) : 0)
  }
  for (let i = 0; i < count; i++) {
    const own = load<f64>(double(lengths, i))
    const line = word(s, i * rows)
    const diagonal = word(line, i)
    store<f32>(diagonal, own > 0 ? <f32>(<f64>load<f32>(diagonal) / (own * own)) : 1)
    let j = i + 1
    for (; j & 3; j++) {
      const product = own * load<f64>(double(lengths, j))
      const value = product > 0 ? <f32>(<f64>load<f32>(word(line, j)) / product) : 0
      store<f32>(word(line, j), value)
      store<f32>(word(s, j * rows + i), value)
    }
    for (; j < rows; j += 4) {
      const four = v128.load(word(line, j))
      const low = quotients(four, own, double(lengths, j))
      const high = quotients(v128.shuffle<i64>(four, four, 1, 1), own, double(lengths, j + 2))
      const values = v128.shuffle<i64>(low, high, 0, 2)
      v128.store(word(line, j), values)
      let mirror = word(s, j * rows + i)
      v128.store32_lane(mirror, values, 0)
      mirror = word(mirror, rows)
      v128.store32_lane(mirror, values, 1)
      mirror = word(mirror, rows)
      v128.store32_lane(mirror, values, 2)
      v128.store32_lane(word(mirror, rows), values, 3)
    }
  }
}

/** Two floats divided by the products of two lengths with another; 0 if there is no length. */
function quotients(two: v128, own: f64, lengths: usize): v128 {
  const products = f64x2.mul(f64x2.splat(own), v128.load(lengths))
  const values = f64x2.div(f64x2.promote_low_f32x4(two), products)
  return f32x4.demote_f64x2_zero(v128.and(values, f64x2.gt(products, f64x2.splat(0))))
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

/**
 * Divides each row by its largest value, or by its mean + 1e-8; by a hundredth of its mean
 * absolute value if the mean is closer to 0 than that.
 */
export function scale(s: usize, count: i32, rows: i32, byMean: bool): void {
  for (let i = 0; i < count; i++) {
    const row = word(s, i * rows)
    const divisor = byMean ? meanOf(row, count) : <f64>largestOf(row, count)
    for (let j = 0; j < count; j++) {
      const at = word(row, j)
      store<f32>(at, divisor == 0 ? 0 : finite(<f64>load<f32>(at) / divisor))
    }
  }
}

function largestOf(row: usize, count: i32): f32 {
  let largest = load<f32>(row)
  for (let j = 1; j < count; j++) largest = max(largest, load<f32>(word(row, j)))
  return largest
}

function meanOf(row: usize, count: i32): f64 {
  let sum: f64 = 0
  let sizes: f64 = 0
  for (let j = 0; j < count; j++) {
    const value = <f64>load<f32>(word(row, j))
    sum += value
    sizes += abs(value)
  }
  const mean = sum / <f64>count + 1e-8
  const least = SMALLEST_MEAN * (sizes / <f64>count)
  return abs(mean) < least ? least : mean
}

/** A tiny divisor must not make an infinity that turns into NaN later. */
function finite(value: f64): f32 {
  return <f32>max<f64>(-f32.MAX_VALUE, min<f64>(f32.MAX_VALUE, value))
}
