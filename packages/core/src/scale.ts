import type { Scale } from './settings.ts'

const LARGEST = 3.4028234663852886e38

/** Section 1: divides each row of S by its largest value, or by its mean + 1e-8, in place. */
export function scaleRows(s: Float32Array, rows: number, scale: Scale): void {
  if (scale === 'none') return
  for (let i = 0; i < rows; i++) {
    const row = s.subarray(i * rows, (i + 1) * rows)
    const divisor =
      scale === 'max'
        ? row.reduce((a, b) => Math.max(a, b))
        : row.reduce((a, b) => a + b, 0) / rows + 1e-8
    for (let j = 0; j < rows; j++) {
      // A tiny divisor must not make an infinity that turns into NaN later.
      const value = divisor === 0 ? 0 : row[j]! / divisor
      row[j] = Math.max(-LARGEST, Math.min(LARGEST, value))
    }
  }
}
