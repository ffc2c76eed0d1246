/** A vector with a smaller squared length has none, as far as float32 can tell. */
export const SMALLEST_SQUARE = 1e-30

/**
 * Section 1: inner products become cosines, in place.
 *
 * A row without length is similar to nothing but itself, as a text without terms is.
 */
export function cosine(s: Float32Array, rows: number): void {
  const lengths = Float64Array.from({ length: rows }, (_, i) => {
    const square = s[i * rows + i]!
    return square >= SMALLEST_SQUARE ? Math.sqrt(square) : 0
  })
  for (let i = 0; i < rows; i++) {
    for (let j = i; j < rows; j++) {
      const product = lengths[i]! * lengths[j]!
      const value = product > 0 ? s[i * rows + j]! / product : Number(i === j)
      s[i * rows + j] = value
      s[j * rows + i] = value
    }
  }
}
