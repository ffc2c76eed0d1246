/** Section 1 in plain TypeScript: inner products, cosines, missing rows, row scaling. */
import type { Products } from '../kernel/engine.ts'
import type { Matrix } from '../matrix.ts'
import type { RowScaling } from '../settings/settings.ts'

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

/** The inner products of every row with row 0, the query's, and with itself. */
export function products({ data, rows, dimensions }: Matrix): Products {
  const toQuery = new Float64Array(rows)
  const squares = new Float64Array(rows)
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < dimensions; j++) {
      const value = data[i * dimensions + j]!
      toQuery[i]! += value * data[j]!
      squares[i]! += value * value
    }
  }
  return { toQuery, squares }
}

/** The cosine of a row with the query. */
export function cosineOf({ toQuery, squares }: Products, row: number): number {
  return toQuery[row]! / (Math.sqrt(squares[row]! * squares[0]!) || 1)
}

/** In float32, a vector with a smaller squared length has no length. */
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

/**
 * Section 4, candidates without a vector: such a row is as similar to every member of the context
 * as the candidates with vectors are on the average, itself aside; so its standardized similarity
 * is 0. `s` holds cosines in rows of `stride`; without any vectors they stay 0.
 */
export function fillMissing(
  s: Float32Array,
  rows: number,
  stride: number,
  missing: readonly number[],
): void {
  if (missing.length === 0) return
  const lacks = new Set(missing)
  const present = Array.from({ length: rows - 1 }, (_, i) => i + 1).filter((row) => !lacks.has(row))
  const means = new Float64Array(rows)
  for (let j = 0; j < rows; j++) {
    if (lacks.has(j)) continue
    let count = 0
    for (const i of present) {
      if (i === j) continue
      means[j]! += s[i * stride + j]!
      count++
    }
    means[j]! /= Math.max(1, count)
  }
  let overall = 0
  for (const i of present) overall += means[i]!
  overall /= Math.max(1, present.length)
  for (const i of missing) {
    for (let j = 0; j < rows; j++) {
      if (i === j) continue
      const mean = lacks.has(j) ? overall : means[j]!
      s[i * stride + j] = mean
      s[j * stride + i] = mean
    }
  }
}

const LARGEST = 3.4028234663852886e38

/**
 * The smallest divisor of `mean`, as a part of the row's mean size. If negative and positive
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

/** A row's mean + 1e-8, or a hundredth of its mean absolute value if that is farther from 0. */
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
