import { word } from './address'

/**
 * docs/method.md section 1: S = X·Xᵀ, the upper triangle computed and mirrored.
 *
 * `x` holds `count` vectors of `dimensions` floats (a multiple of 4, zero-padded), filled up with
 * zeros to `rows`, a multiple of 4; `s` receives rows × rows floats; floats beyond `count`
 * may stay as they were. Every entry is one chain
 * of four-lane sums over the whole length, wherever it stands in the matrix, so
 * that equal vectors get bit-equal similarities and ties stay ties.
 * With `add` the products are added to what `s` holds.
 */
export function gram(x: usize, count: i32, rows: i32, dimensions: i32, s: usize, add: bool): void {
  const bytes = (<usize>dimensions) << 2
  const line = (<usize>rows) << 2
  const tile = max<i32>(4, (TILE_BYTES / <i32>bytes) & ~3)
  // One or two vectors behind the last block of four, such as the last one if a query has 60
  // candidates, are the two rows of separate blocks: half as many blocks as if they were columns.
  const last = rows - 4
  const whole = !add && count - last <= 2 ? last : rows
  // A tile of rows stays in the second-level cache while all rows below it pass by, four of them at
  // a time in the first-level cache.
  for (let from = 0; from < whole; from += tile) {
    for (let j = from; j < whole; j += 4) {
      // To the block that holds the diagonal.
      const to = min(from + tile, j + 4)
      for (let i = from; i < to; i += 2) {
        block(x + <usize>i * bytes, x + <usize>j * bytes, bytes, s, line, i, j, add)
      }
    }
  }
  for (let j = whole; j >= 0 && whole < rows; j -= 4) {
    block(x + <usize>whole * bytes, x + <usize>j * bytes, bytes, s, line, whole, j, false)
  }
}

const TILE_BYTES: i32 = 1 << 18

/** a · b + sum, fused if the build has relaxed SIMD. */
function madd(a: v128, b: v128, sum: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f32x4.relaxed_madd(a, b, sum)
  return f32x4.add(f32x4.mul(a, b), sum)
}

/** Four vectors of partial sums become the four lanes of one vector. */
function fold(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = f32x4.add(v128.shuffle<f32>(a, b, 0, 4, 1, 5), v128.shuffle<f32>(a, b, 2, 6, 3, 7))
  const cd = f32x4.add(v128.shuffle<f32>(c, d, 0, 4, 1, 5), v128.shuffle<f32>(c, d, 2, 6, 3, 7))
  return f32x4.add(v128.shuffle<f32>(ab, cd, 0, 1, 4, 5), v128.shuffle<f32>(ab, cd, 2, 3, 6, 7))
}

/**
 * Rows i, i + 1 against rows j .. j + 3. Eight sums and six operands fill the sixteen registers;
 * larger blocks spill. Each row has a pointer that moves on, since V8 would add a shared offset
 * again for every load. The exit between two steps keeps V8 from loading both steps' operands at
 * once, which spills too.
 */
function block(
  a: usize,
  b: usize,
  bytes: usize,
  s: usize,
  line: usize,
  i: i32,
  j: i32,
  add: bool,
): void {
  let s00 = f32x4.splat(0)
  let s01 = s00
  let s02 = s00
  let s03 = s00
  let s10 = s00
  let s11 = s00
  let s12 = s00
  let s13 = s00
  let a1 = a + bytes
  let b1 = b + bytes
  let b2 = b1 + bytes
  let b3 = b2 + bytes
  const last = a1 - 16
  while (true) {
    let p = v128.load(a)
    let q = v128.load(a1)
    let y = v128.load(b)
    s00 = madd(p, y, s00)
    s10 = madd(q, y, s10)
    y = v128.load(b1)
    s01 = madd(p, y, s01)
    s11 = madd(q, y, s11)
    y = v128.load(b2)
    s02 = madd(p, y, s02)
    s12 = madd(q, y, s12)
    y = v128.load(b3)
    s03 = madd(p, y, s03)
    s13 = madd(q, y, s13)
    if (a >= last) break
    p = v128.load(a, 16)
    q = v128.load(a1, 16)
    y = v128.load(b, 16)
    s00 = madd(p, y, s00)
    s10 = madd(q, y, s10)
    y = v128.load(b1, 16)
    s01 = madd(p, y, s01)
    s11 = madd(q, y, s11)
    y = v128.load(b2, 16)
    s02 = madd(p, y, s02)
    s12 = madd(q, y, s12)
    y = v128.load(b3, 16)
    s03 = madd(p, y, s03)
    s13 = madd(q, y, s13)
    a += 32
    if (a > last) break
    a1 += 32
    b += 32
    b1 += 32
    b2 += 32
    b3 += 32
  }
  let r0 = fold(s00, s01, s02, s03)
  let r1 = fold(s10, s11, s12, s13)
  const row = word(s + <usize>i * line, j)
  if (add) {
    r0 = added(r0, v128.load(row), j < i)
    r1 = added(r1, v128.load(row + line), j < i)
  }
  v128.store(row, r0)
  v128.store(row + line, r1)
  const low = v128.shuffle<f32>(r0, r1, 0, 4, 1, 5)
  const high = v128.shuffle<f32>(r0, r1, 2, 6, 3, 7)
  let mirror = word(s + <usize>j * line, i)
  v128.store64_lane(mirror, low, 0)
  mirror += line
  v128.store64_lane(mirror, low, 1)
  mirror += line
  v128.store64_lane(mirror, high, 0)
  mirror += line
  v128.store64_lane(mirror, high, 1)
}

/**
 * New products plus old. In the lower half of a block on the diagonal the first
 * two entries are mirrored ones, to which the upper half has added already.
 */
function added(products: v128, old: v128, mirrored: bool): v128 {
  const sum = f32x4.add(products, old)
  return mirrored ? v128.shuffle<f32>(old, sum, 0, 1, 6, 7) : sum
}
