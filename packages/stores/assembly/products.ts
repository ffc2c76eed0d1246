/**
 * The inner products of a pair of queries with every document of a tile.
 *
 * `pair` and `tile` are packed (see pack.ts) in groups of 2 and of 4, `chunks`
 * fours of numbers long. Two lines of scores, `line` bytes apart, are written.
 * Every product is one chain of four-lane sums over the whole length, wherever
 * its document stands, so that scores depend on neither tile nor worker.
 */
export function products(
  pair: usize,
  tile: usize,
  documents: i32,
  chunks: i32,
  scores: usize,
  line: usize,
): void {
  const quadBytes = (<usize>chunks) << 6
  for (let j = 0; j < documents; j += 4) {
    block(pair, tile, tile + quadBytes, scores, scores + line)
    tile += quadBytes
    scores += 16
  }
}

/** a · b + sum, fused if the build has relaxed SIMD. */
export function madd(a: v128, b: v128, sum: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f32x4.relaxed_madd(a, b, sum)
  return f32x4.add(f32x4.mul(a, b), sum)
}

/** Four vectors of partial sums become the four lanes of one vector. */
export function fold(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = f32x4.add(v128.shuffle<f32>(a, b, 0, 4, 1, 5), v128.shuffle<f32>(a, b, 2, 6, 3, 7))
  const cd = f32x4.add(v128.shuffle<f32>(c, d, 0, 4, 1, 5), v128.shuffle<f32>(c, d, 2, 6, 3, 7))
  return f32x4.add(v128.shuffle<f32>(ab, cd, 0, 1, 4, 5), v128.shuffle<f32>(ab, cd, 2, 3, 6, 7))
}

/** Two queries × four documents: eight sums and three operands stay in registers. */
function block(a: usize, b: usize, end: usize, out0: usize, out1: usize): void {
  let s00 = f32x4.splat(0)
  let s01 = s00
  let s02 = s00
  let s03 = s00
  let s10 = s00
  let s11 = s00
  let s12 = s00
  let s13 = s00
  while (b < end) {
    const p = v128.load(a)
    const q = v128.load(a, 16)
    let y = v128.load(b)
    s00 = madd(p, y, s00)
    s10 = madd(q, y, s10)
    y = v128.load(b, 16)
    s01 = madd(p, y, s01)
    s11 = madd(q, y, s11)
    y = v128.load(b, 32)
    s02 = madd(p, y, s02)
    s12 = madd(q, y, s12)
    y = v128.load(b, 48)
    s03 = madd(p, y, s03)
    s13 = madd(q, y, s13)
    a += 32
    b += 64
  }
  v128.store(out0, fold(s00, s01, s02, s03))
  v128.store(out1, fold(s10, s11, s12, s13))
}
