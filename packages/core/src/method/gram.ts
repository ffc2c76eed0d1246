import type { Matrix } from '../matrix.ts'

/**
 * Section 1: S = X·Xᵀ, m × m.
 *
 * Sums are in double precision and rounded once, which makes this the reference
 * for the kernels' single-precision sums.
 */
export function gram({ data, rows, dimensions }: Matrix): Float32Array {
  const s = new Float32Array(rows * rows)
  for (let i = 0; i < rows; i++) {
    for (let j = i; j < rows; j++) {
      let sum = 0
      for (let a = i * dimensions, b = j * dimensions, end = a + dimensions; a < end; a++, b++) {
        sum += data[a]! * data[b]!
      }
      s[i * rows + j] = sum
      s[j * rows + i] = sum
    }
  }
  return s
}
