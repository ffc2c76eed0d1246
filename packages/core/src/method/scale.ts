import type { RowScaling } from '../settings/settings.ts'

const LARGEST = 3.4028234663852886e38

/**
 * The smallest divisor of `mean`, as a part of the row's mean size. Where negative and positive
 * similarities cancel out, the rest of their mean is mostly rounding error, its sign included.
 */
export const SMALLEST_MEAN = 0.01

/** Section 1: divides each row of S by its largest value, or by its mean + 1e-8, in place. */
export function scaleRows(s: Float32Array, rows: number, rowScaling: RowScaling): void {
  if (rowScaling === 'none') return
  for (let i = 0; i < rows; i++) {
    const row = s.subarray(i * rows, (i + 1) * rows)
    const divisor = rowScaling === 'max' ? row.reduce((a, b) => Math.max(a, b)) : meanOf(row)
    for (let j = 0; j < rows; j++) {
      // A tiny divisor must not make an infinity that turns into NaN later.
      const value = divisor === 0 ? 0 : row[j]! / divisor
      row[j] = Math.max(-LARGEST, Math.min(LARGEST, value))
    }
  }
}

/** A row's mean + 1e-8, or a hundredth of its mean absolute value where that is farther from 0. */
function meanOf(row: Float32Array): number {
  let sum = 0
  let sizes = 0
  for (const value of row) {
    sum += value
    sizes += Math.abs(value)
  }
  const mean = sum / row.length + 1e-8
  const least = SMALLEST_MEAN * (sizes / row.length)
  return Math.abs(mean) < least ? least : mean
}
