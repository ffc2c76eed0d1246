/**
 * The inner products of a pair of coded queries with every coded document of a tile.
 *
 * Queries are signed bytes in groups of 2, documents bytes below 128 in groups of 4 (see
 * codes.ts), 16 numbers of each at a time, `blocks` times. Two lines of 32-bit sums, `line`
 * bytes apart, are written. Sums of up to RUN blocks stay in 16 bits: the queries' codes are
 * small enough for that (see src/exact/query-codes.ts).
 */

/** Blocks of 16 numbers that are added up in 16 bits. */
const RUN = 16

export function codeProducts(
  pair: usize,
  tile: usize,
  documents: i32,
  blocks: i32,
  sums: usize,
  line: usize,
): void {
  const groupBytes = (<usize>blocks) << 6
  for (let j = 0; j < documents; j += 4) {
    block(pair, tile, tile + groupBytes, sums, sums + line)
    tile += groupBytes
    sums += 16
  }
}

/**
 * Sums of two neighboring products, in 16 bits. As `b` is below 128, relaxed SIMD leaves no
 * choice: the result is the same on every machine, and equals plain SIMD.
 */
function dot(a: v128, b: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return i16x8.relaxed_dot_i8x16_i7x16_s(a, b)
  const low = i16x8.extmul_low_i8x16_s(a, b)
  const high = i16x8.extmul_high_i8x16_s(a, b)
  return i16x8.add(
    v128.shuffle<i16>(low, high, 0, 2, 4, 6, 8, 10, 12, 14),
    v128.shuffle<i16>(low, high, 1, 3, 5, 7, 9, 11, 13, 15),
  )
}

/** Four vectors of eight 16-bit sums become the four lanes of one vector. */
function fold(a: v128, b: v128, c: v128, d: v128): v128 {
  a = i32x4.extadd_pairwise_i16x8_s(a)
  b = i32x4.extadd_pairwise_i16x8_s(b)
  c = i32x4.extadd_pairwise_i16x8_s(c)
  d = i32x4.extadd_pairwise_i16x8_s(d)
  const ab = i32x4.add(v128.shuffle<i32>(a, b, 0, 4, 1, 5), v128.shuffle<i32>(a, b, 2, 6, 3, 7))
  const cd = i32x4.add(v128.shuffle<i32>(c, d, 0, 4, 1, 5), v128.shuffle<i32>(c, d, 2, 6, 3, 7))
  return i32x4.add(v128.shuffle<i32>(ab, cd, 0, 1, 4, 5), v128.shuffle<i32>(ab, cd, 2, 3, 6, 7))
}

/** Two queries × four documents: eight sums, two totals and three operands stay in registers. */
function block(a: usize, b: usize, end: usize, out0: usize, out1: usize): void {
  let total0 = i32x4.splat(0)
  let total1 = total0
  while (b < end) {
    const stop = min(b + (RUN << 6), end)
    let p = v128.load(a)
    let q = v128.load(a, 16)
    let y = v128.load(b)
    let s00 = dot(p, y)
    let s10 = dot(q, y)
    y = v128.load(b, 16)
    let s01 = dot(p, y)
    let s11 = dot(q, y)
    y = v128.load(b, 32)
    let s02 = dot(p, y)
    let s12 = dot(q, y)
    y = v128.load(b, 48)
    let s03 = dot(p, y)
    let s13 = dot(q, y)
    a += 32
    b += 64
    while (b < stop) {
      p = v128.load(a)
      q = v128.load(a, 16)
      y = v128.load(b)
      s00 = i16x8.add(s00, dot(p, y))
      s10 = i16x8.add(s10, dot(q, y))
      y = v128.load(b, 16)
      s01 = i16x8.add(s01, dot(p, y))
      s11 = i16x8.add(s11, dot(q, y))
      y = v128.load(b, 32)
      s02 = i16x8.add(s02, dot(p, y))
      s12 = i16x8.add(s12, dot(q, y))
      y = v128.load(b, 48)
      s03 = i16x8.add(s03, dot(p, y))
      s13 = i16x8.add(s13, dot(q, y))
      a += 32
      b += 64
    }
    total0 = i32x4.add(total0, fold(s00, s01, s02, s03))
    total1 = i32x4.add(total1, fold(s10, s11, s12, s13))
  }
  v128.store(out0, total0)
  v128.store(out1, total1)
}
