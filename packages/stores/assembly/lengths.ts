import { word } from './address'

/** A vector with a smaller squared length has none: the rule of @kith/core's cosine. */
const SMALLEST_SQUARE: f64 = 1e-30

/**
 * 1 / |row| of packed rows, in double precision so that no float32 overflows;
 * 0 for rows without length, padding included.
 */
export function inverseLengths(
  packed: usize,
  rows: i32,
  chunks: i32,
  group: i32,
  out: usize,
): void {
  const step = (<usize>group) << 4
  for (let row = 0; row < rows; row++) {
    let at = packed + <usize>(row / group) * <usize>chunks * step + ((<usize>(row % group)) << 4)
    let low = f64x2.splat(0)
    let high = low
    for (let i = 0; i < chunks; i++) {
      const four = v128.load(at)
      const first = f64x2.promote_low_f32x4(four)
      const second = f64x2.promote_low_f32x4(v128.shuffle<i64>(four, four, 1, 1))
      low = f64x2.add(low, f64x2.mul(first, first))
      high = f64x2.add(high, f64x2.mul(second, second))
      at += step
    }
    const sums = f64x2.add(low, high)
    const square = f64x2.extract_lane(sums, 0) + f64x2.extract_lane(sums, 1)
    const inverse: f64 = square >= SMALLEST_SQUARE ? 1.0 / Math.sqrt(square) : 0.0
    store<f32>(word(out, row), <f32>inverse)
  }
}
