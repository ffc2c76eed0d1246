import { double, word } from './address'

/**
 * The inner products of row 0 with every row, and of every row with itself, in double precision.
 * Rows have `dimensions` numbers, a multiple of 4.
 */
export function products(
  x: usize,
  rows: i32,
  dimensions: i32,
  toQuery: usize,
  squares: usize,
): void {
  for (let row = 0; row < rows; row++) {
    const line = word(x, row * dimensions)
    // Two sums of each kind: one alone would wait for its last addition.
    let product = f64x2.splat(0)
    let secondProduct = product
    let square = product
    let secondSquare = product
    for (let j = 0; j < dimensions; j += 4) {
      const own = v128.load(word(line, j))
      const other = v128.load(word(x, j))
      const low = f64x2.promote_low_f32x4(own)
      const high = f64x2.promote_low_f32x4(v128.shuffle<i64>(own, own, 1, 1))
      product = f64x2.add(product, f64x2.mul(low, f64x2.promote_low_f32x4(other)))
      square = f64x2.add(square, f64x2.mul(low, low))
      const second = f64x2.promote_low_f32x4(v128.shuffle<i64>(other, other, 1, 1))
      secondProduct = f64x2.add(secondProduct, f64x2.mul(high, second))
      secondSquare = f64x2.add(secondSquare, f64x2.mul(high, high))
    }
    product = f64x2.add(product, secondProduct)
    square = f64x2.add(square, secondSquare)
    store<f64>(
      double(toQuery, row),
      f64x2.extract_lane(product, 0) + f64x2.extract_lane(product, 1),
    )
    store<f64>(double(squares, row), f64x2.extract_lane(square, 0) + f64x2.extract_lane(square, 1))
  }
}
