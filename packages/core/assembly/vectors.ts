/**
 * docs/method.md section 3: the weighted neighbor vectors, as compressed rows:
 * row i has the entries starts[i] .. starts[i + 1] of `columns` and `weights`,
 * columns ascending, filled up to a multiple of 4 with zero weights of column 0.
 */

import { double, word } from './address'

/** JavaScript's own exponentials, so that every kernel gives the same weights. */
declare function exp(value: f64): f64
declare function expm1(value: f64): f64

/** Kinds of weights; 0 is linear. */
const EXP: i32 = 1
const BINARY: i32 = 2

/** As in src/weights.ts. */
const SMALL_POWER: f64 = 1e-3

/** V from S and the bit sets R*. */
export function weigh(
  s: usize,
  count: i32,
  rows: i32,
  sets: usize,
  words: i32,
  kind: i32,
  parameter: f64,
  starts: usize,
  columns: usize,
  weights: usize,
): void {
  let n = 0
  for (let i = 0; i < count; i++) {
    store<i32>(word(starts, i), n)
    const first = n
    const line = word(s, i * rows)
    const set = double(sets, i * words)
    for (let w = 0; w < words; w++) {
      let bits = load<u64>(double(set, w))
      while (bits) {
        const j = (w << 6) + <i32>ctz(bits)
        bits &= bits - 1
        store<i32>(word(columns, n), j)
        store<f32>(word(weights, n), load<f32>(word(line, j)))
        n++
      }
    }
    const entries = n - first
    n = fillUp(n, columns, weights)
    const from = word(weights, first)
    if (kind == EXP) exponential(from, entries, parameter)
    if (kind == BINARY) for (let e = 0; e < entries; e++) store<f32>(word(from, e), 1)
    else normalize(from, word(weights, n), entries)
  }
  store<i32>(word(starts, count), n)
}

function fillUp(n: i32, columns: usize, weights: usize): i32 {
  v128.store(word(columns, n), i32x4.splat(0))
  v128.store(word(weights, n), f32x4.splat(0))
  return (n + 3) & ~3
}

/** Divides by the sum. Negative weights count as 0; a row without weight is spread evenly. */
function normalize(from: usize, to: usize, entries: i32): void {
  const zero = f32x4.splat(0)
  let sums = f64x2.splat(0)
  for (let at = from; at < to; at += 16) {
    const four = f32x4.pmax(zero, v128.load(at))
    v128.store(at, four)
    sums = f64x2.add(sums, f64x2.promote_low_f32x4(four))
    sums = f64x2.add(sums, f64x2.promote_low_f32x4(v128.shuffle<i64>(four, four, 1, 1)))
  }
  const sum = f64x2.extract_lane(sums, 0) + f64x2.extract_lane(sums, 1)
  if (sum > 0) {
    const factor = f64x2.splat(1 / sum)
    for (let at = from; at < to; at += 16) {
      const four = v128.load(at)
      const low = f64x2.mul(f64x2.promote_low_f32x4(four), factor)
      const high = f64x2.mul(f64x2.promote_low_f32x4(v128.shuffle<i64>(four, four, 1, 1)), factor)
      v128.store(
        at,
        v128.shuffle<i64>(f32x4.demote_f64x2_zero(low), f32x4.demote_f64x2_zero(high), 0, 2),
      )
    }
  } else {
    for (let e = 0; e < entries; e++) store<f32>(word(from, e), <f32>(1 / <f64>entries))
  }
}

/**
 * exp(p · S) − 1, up to the factor exp(−largest exponent), which the division by
 * the sum removes again: without it a large inner product would overflow. A
 * difference of two powers would lose the digits of a small exponent, which
 * `expm1`, slower, keeps. Negative results become 0.
 */
function exponential(from: usize, entries: i32, parameter: f64): void {
  let largest: f64 = 0
  for (let e = 0; e < entries; e++) {
    largest = max(largest, parameter * <f64>load<f32>(word(from, e)))
  }
  const factor = exp(-largest)
  for (let e = 0; e < entries; e++) {
    const at = word(from, e)
    const power = parameter * <f64>load<f32>(at)
    let weight: f64 = 0
    if (power > 0) {
      weight = exp(power - largest)
      weight = power > SMALL_POWER ? weight - factor : -expm1(-power) * weight
    }
    store<f32>(at, <f32>weight)
  }
}

/**
 * Local expansion: every row becomes the mean of the rows of its first `nearest`
 * ranked neighbors. `sums` is room for `count` doubles, all zero before and
 * after; `union` is room for `words` words.
 */
export function expand(
  count: i32,
  ranks: usize,
  keep: i32,
  nearest: i32,
  sets: usize,
  words: i32,
  starts: usize,
  columns: usize,
  weights: usize,
  sums: usize,
  union: usize,
  outStarts: usize,
  outColumns: usize,
  outWeights: usize,
): void {
  const bytes = (<usize>words) << 3
  const share = 1 / <f64>nearest
  let n = 0
  for (let i = 0; i < count; i++) {
    store<i32>(word(outStarts, i), n)
    for (let w = 0; w < words; w++) store<u64>(double(union, w), 0)
    for (let a = 0; a < nearest; a++) {
      const r = load<i32>(word(ranks, i * keep + a))
      const to = load<i32>(word(starts, r + 1))
      for (let e = load<i32>(word(starts, r)); e < to; e++) {
        const sum = double(sums, load<i32>(word(columns, e)))
        store<f64>(sum, load<f64>(sum) + <f64>load<f32>(word(weights, e)))
      }
      const set = sets + <usize>r * bytes
      for (let at: usize = 0; at < bytes; at += 8) {
        store<u64>(union + at, load<u64>(union + at) | load<u64>(set + at))
      }
    }
    for (let w = 0; w < words; w++) {
      let bits = load<u64>(double(union, w))
      while (bits) {
        const j = (w << 6) + <i32>ctz(bits)
        bits &= bits - 1
        const sum = double(sums, j)
        store<i32>(word(outColumns, n), j)
        store<f32>(word(outWeights, n), <f32>(load<f64>(sum) * share))
        store<f64>(sum, 0)
        n++
      }
    }
    n = fillUp(n, outColumns, outWeights)
  }
  store<i32>(word(outStarts, count), n)
}
