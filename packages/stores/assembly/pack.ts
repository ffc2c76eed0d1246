/**
 * Rows of `dimensions` numbers become groups of `group` rows side by side, four
 * numbers of each at a time, so that the inner loop of the products reads from
 * one address on. The length is zero-padded to a multiple of 4, the last group
 * with rows of zeros.
 */
export function packFloats(
  source: usize,
  rows: i32,
  dimensions: i32,
  group: i32,
  out: usize,
): void {
  pack<f32>(source, rows, dimensions, group, out)
}

/** As packFloats, from half-precision floats. */
export function packHalves(
  source: usize,
  rows: i32,
  dimensions: i32,
  group: i32,
  out: usize,
): void {
  pack<u16>(source, rows, dimensions, group, out)
}

function pack<T>(source: usize, rows: i32, dimensions: i32, group: i32, out: usize): void {
  const whole = dimensions >> 2
  const rest = dimensions & 3
  const step = (<usize>group) << 4
  const groupBytes = <usize>(whole + i32(rest > 0)) * step
  for (let row = 0; row < rows; row++) {
    let from = source + <usize>row * <usize>dimensions * sizeof<T>()
    let to = out + <usize>(row / group) * groupBytes + ((<usize>(row % group)) << 4)
    for (let i = 0; i < whole; i++) {
      v128.store(to, four<T>(from))
      from += 4 * sizeof<T>()
      to += step
    }
    if (rest > 0) v128.store(to, few<T>(from, rest))
  }
  // Rows of zeros up to a whole group.
  for (let row = rows; row % group != 0; row++) {
    let to = out + <usize>(row / group) * groupBytes + ((<usize>(row % group)) << 4)
    for (const end = to + groupBytes; to < end; to += step) v128.store(to, i32x4.splat(0))
  }
}

function four<T>(from: usize): v128 {
  if (isFloat<T>()) return v128.load(from)
  return widen(v128.load_ext<u16>(from))
}

/** The last one to three numbers of a row: what follows them in memory is not theirs. */
function few<T>(from: usize, count: i32): v128 {
  const all = four<T>(from)
  return v128.and(all, i32x4.lt_s(i32x4(0, 1, 2, 3), i32x4.splat(count)))
}

/**
 * Four half-precision floats, in the low halves of the lanes, as float32. The
 * exponent moves into place by a multiplication, which gets subnormals right;
 * infinity and NaN get theirs by hand.
 */
function widen(halves: v128): v128 {
  const magnitude = v128.and(halves, i32x4.splat(0x7fff))
  const sign = i32x4.shl(v128.andnot(halves, i32x4.splat(0x7fff)), 16)
  const scaled = f32x4.mul(i32x4.shl(magnitude, 13), f32x4.splat(reinterpret<f32>(0x77800000)))
  const beyond = i32x4.gt_s(magnitude, i32x4.splat(0x7bff))
  return v128.or(v128.or(scaled, sign), v128.and(beyond, i32x4.splat(0x7f800000)))
}
