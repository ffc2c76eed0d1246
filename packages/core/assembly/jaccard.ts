import { word } from './address'

/**
 * docs/method.md section 4: s_J(probe, ·) = Σ min / Σ max over the neighbor vectors.
 * `dense` is room for `count` floats, all zero before and after.
 *
 * Σ max is the sum of both vectors less Σ min. For equal vectors all three sums
 * run over the same numbers in the same order, and the Jaccard is exactly 1.
 */
export function overlaps(
  probe: i32,
  count: i32,
  starts: usize,
  columns: usize,
  weights: usize,
  dense: usize,
  out: usize,
): void {
  const from = load<i32>(word(starts, probe))
  const to = load<i32>(word(starts, probe + 1))
  let sums = f64x2.splat(0)
  for (let e = from; e < to; e += 4) sums = addAll(sums, v128.load(word(weights, e)))
  const own = total(sums)
  for (let e = from; e < to; e++) {
    const weight = load<f32>(word(weights, e))
    if (weight > 0) store<f32>(word(dense, load<i32>(word(columns, e))), weight)
  }
  for (let c = 0; c < count; c++) {
    const end = load<i32>(word(starts, c + 1))
    let smaller = f64x2.splat(0)
    sums = smaller
    for (let e = load<i32>(word(starts, c)); e < end; e += 4) {
      const theirs = v128.load(word(weights, e))
      smaller = addAll(smaller, f32x4.pmin(theirs, gather(dense, word(columns, e))))
      sums = addAll(sums, theirs)
    }
    const shared = total(smaller)
    const either = own + total(sums) - shared
    store<f32>(word(out, c), either > 0 ? <f32>(shared / either) : 0)
  }
  for (let e = from; e < to; e++) store<f32>(word(dense, load<i32>(word(columns, e))), 0)
}

/** The entries of `dense` that four columns name. */
function gather(dense: usize, columns: usize): v128 {
  let four = v128.load32_zero(word(dense, load<i32>(columns)))
  four = v128.load32_lane(word(dense, load<i32>(columns, 4)), four, 1)
  four = v128.load32_lane(word(dense, load<i32>(columns, 8)), four, 2)
  return v128.load32_lane(word(dense, load<i32>(columns, 12)), four, 3)
}

/** Adds four floats to two sums in double precision. */
function addAll(sums: v128, four: v128): v128 {
  const high = v128.shuffle<i64>(four, four, 1, 1)
  return f64x2.add(f64x2.add(sums, f64x2.promote_low_f32x4(four)), f64x2.promote_low_f32x4(high))
}

function total(sums: v128): f64 {
  return f64x2.extract_lane(sums, 0) + f64x2.extract_lane(sums, 1)
}
