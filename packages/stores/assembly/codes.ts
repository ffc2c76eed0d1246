/**
 * Documents as codes of seven bits, with what a code leaves out.
 *
 * A row c becomes whole numbers n from −63 to 63 and a scale s, stored as n + 64.
 * For any vector y, |y · c − s · (y · n)| ≤ |y| · |c − s · n| with any rounding.
 */

import { word } from './address'

/** Codes are stored with this added: the products take one signed operand and one of seven bits. */
const ZERO: i8 = 64
const LARGEST: f32 = 63

/** Added to a small number, it leaves the nearest whole one, in the last bits. */
const WHOLE: f32 = 12582912

/** Bytes of the facts of four rows. */
export const FACTS: usize = 48

/** Rows of a length outside these bounds have no code: their squares might leave float32. */
const SMALLEST_SQUARE: f32 = 1e-30
const LARGEST_SQUARE: f32 = 1e30
/** Covers the rounding of the sums of squares below. */
const UP: f32 = 1.001

/**
 * Codes of `rows` rows of `blocks` · 16 numbers. The
 * codes go to groups of 4 rows, 16 numbers of each at a time. For each group, `facts` gets
 * three fours of floats, times 1 / length if `inverses` is not 0: scales; errors, which are
 * |c − s · n| and `slack` · |c|; and lengths, at least |s · n|. If a row is too short for a
 * code, no error is larger than its. Returns false if a row is too long for one, or not finite.
 */
export function encodeRows(
  source: usize,
  rows: i32,
  blocks: i32,
  slack: f32,
  inverses: usize,
  codes: usize,
  facts: usize,
): bool {
  const rowBytes = (<usize>blocks) << 6
  for (let row = 0; row < rows; row++) {
    const from = source + <usize>row * rowBytes
    const end = from + rowBytes
    let most = f32x4.splat(0)
    let squares = most
    let more = most
    for (let at = from; at < end; at += 64) {
      const a = v128.load(at)
      const b = v128.load(at, 16)
      const c = v128.load(at, 32)
      const d = v128.load(at, 48)
      const ab = f32x4.max(f32x4.abs(a), f32x4.abs(b))
      const cd = f32x4.max(f32x4.abs(c), f32x4.abs(d))
      most = f32x4.max(most, f32x4.max(ab, cd))
      squares = f32x4.add(squares, f32x4.add(squared(a), squared(b)))
      more = f32x4.add(more, f32x4.add(squared(c), squared(d)))
    }
    const square = sum(f32x4.add(squares, more))
    // Also false for NaN.
    if (!(square <= LARGEST_SQUARE)) return false
    const largest = maximum(most)
    const scale = largest / LARGEST
    const inverse: f32 = square < SMALLEST_SQUARE ? 0 : LARGEST / largest
    // A group of codes is as long as a row of floats.
    const to = codes + <usize>(row >> 2) * rowBytes + ((<usize>(row & 3)) << 4)
    const left = sqrt(encode(from, end, inverse, scale, to)) * UP
    const length = sqrt(square) * UP
    const short = square < SMALLEST_SQUARE && largest > 0
    const error = short ? f32.MAX_VALUE : left + slack * length
    const factor = inverses == 0 ? <f32>1 : load<f32>(word(inverses, row))
    const fact = facts + <usize>(row >> 2) * FACTS + ((<usize>(row & 3)) << 2)
    store<f32>(fact, scale * factor)
    store<f32>(fact, min(error * factor, f32.MAX_VALUE), 16)
    store<f32>(fact, (length + left) * factor, 32)
  }
  return true
}

/** Writes the codes of one row and returns the squared length of what they leave out. */
function encode(from: usize, end: usize, inverse: f32, scale: f32, to: usize): f32 {
  const factor = f32x4.splat(inverse)
  const step = f32x4.splat(scale)
  const whole = f32x4.splat(WHOLE)
  let left = f32x4.splat(0)
  for (; from < end; from += 64) {
    const a = v128.load(from)
    const b = v128.load(from, 16)
    const c = v128.load(from, 32)
    const d = v128.load(from, 48)
    const p = f32x4.add(f32x4.mul(a, factor), whole)
    const q = f32x4.add(f32x4.mul(b, factor), whole)
    const r = f32x4.add(f32x4.mul(c, factor), whole)
    const s = f32x4.add(f32x4.mul(d, factor), whole)
    const ab = f32x4.add(leftOut(a, p, step), leftOut(b, q, step))
    const cd = f32x4.add(leftOut(c, r, step), leftOut(d, s, step))
    left = f32x4.add(left, f32x4.add(ab, cd))
    const low = i16x8.narrow_i32x4_s(i32x4.sub(p, whole), i32x4.sub(q, whole))
    const high = i16x8.narrow_i32x4_s(i32x4.sub(r, whole), i32x4.sub(s, whole))
    v128.store(to, i8x16.add(i8x16.narrow_i16x8_s(low, high), i8x16.splat(ZERO)))
    to += 64
  }
  return sum(left)
}

/** The squares of what codes leave out of four numbers; the codes have WHOLE added. */
function leftOut(numbers: v128, codes: v128, step: v128): v128 {
  const whole = f32x4.sub(codes, f32x4.splat(WHOLE))
  return squared(f32x4.sub(numbers, f32x4.mul(whole, step)))
}

function squared(x: v128): v128 {
  return f32x4.mul(x, x)
}

function sum(x: v128): f32 {
  return (
    f32x4.extract_lane(x, 0) +
    f32x4.extract_lane(x, 1) +
    (f32x4.extract_lane(x, 2) + f32x4.extract_lane(x, 3))
  )
}

function maximum(x: v128): f32 {
  return max(
    max(f32x4.extract_lane(x, 0), f32x4.extract_lane(x, 1)),
    max(f32x4.extract_lane(x, 2), f32x4.extract_lane(x, 3)),
  )
}
