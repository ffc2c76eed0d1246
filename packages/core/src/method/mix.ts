import type { Settings } from '../settings/settings.ts'
import type { MetricUse } from './metric.ts'

/**
 * Jaccards and cosines that differ by less are equal except for rounding, which dividing by their
 * deviation would blow up; inner products that differ by less than this part of the lengths' product.
 */
export const ROUNDING = 1e-6

/** The geometric similarity of a probe to all rows of a context. */
export interface GeometricTerm {
  values: Float64Array
  /** The largest difference of the values that rounding alone can make. */
  noise: number
  /** How the embeddings were compared; undefined if there are none. */
  metric: MetricUse | undefined
  /** The inner products or cosines of the embeddings, as `metric` says; NaN for a row without a vector. */
  similarity: Float64Array | undefined
}

/**
 * Section 4: the geometric and the Jaccard term become s*(probe, ·).
 *
 * The raw mix takes both as they are. The standard mix z-scores them first,
 * so that λ means the same on any scale of similarities.
 */
export function mix(
  geometric: Pick<GeometricTerm, 'values' | 'noise'>,
  jaccard: ArrayLike<number>,
  probe: number,
  settings: Pick<Settings, 'lambda' | 'mix'>,
): Float64Array {
  const raw = settings.mix === 'raw'
  const { values, noise } = geometric
  const near = raw ? asItIs : spreadOf(values, [probe], noise)
  const shared = raw ? asItIs : spreadOf(jaccard, [probe], ROUNDING)
  const { lambda } = settings
  const mixed = new Float64Array(values.length)
  for (let c = 0; c < mixed.length; c++) {
    const geometricPart = near ? (values[c]! - near.mean) / near.deviation : 0
    const jaccardPart = shared ? (jaccard[c]! - shared.mean) / shared.deviation : 0
    mixed[c] = lambda * geometricPart + (1 - lambda) * jaccardPart
  }
  return mixed
}

/**
 * Subtracts the mean and divides by the deviation of {@link spreadOf}; a constant term becomes 0.
 * `result` may be the values themselves.
 */
export function standardize(
  values: ArrayLike<number>,
  leftOut: readonly number[],
  noise = 0,
  result: Float64Array = new Float64Array(values.length),
): Float64Array {
  const spread = spreadOf(values, leftOut, noise)
  if (!spread) return result.fill(0)
  const { mean, deviation } = spread
  for (let c = 0; c < result.length; c++) result[c] = (values[c]! - mean) / deviation
  return result
}

/** The mean and the population deviation of a term. */
interface Spread {
  mean: number
  deviation: number
}

/** The spread that leaves a term unchanged. */
const asItIs: Spread = { mean: 0, deviation: 1 }

/**
 * The spread of a term over the candidates: neither the query's row (0) nor the rows left out.
 * Undefined if it is constant over them, up to `noise`.
 */
function spreadOf(
  values: ArrayLike<number>,
  leftOut: readonly number[],
  noise: number,
): Spread | undefined {
  const rows = values.length
  let count = 0
  let sum = 0
  let low = Infinity
  let high = -Infinity
  // Mostly only the query is left out, which no loop looks at.
  const some = leftOut.length !== 1 || leftOut[0] !== 0
  for (let c = 1; c < rows; c++) {
    if (some && leftOut.includes(c)) continue
    const value = values[c]!
    count++
    sum += value
    if (value < low) low = value
    if (value > high) high = value
  }
  // Not by the deviation, which a rounding error keeps from being 0.
  if (!(high - low > noise)) return undefined
  const mean = sum / count
  let squares = 0
  for (let c = 1; c < rows; c++) {
    if (some && leftOut.includes(c)) continue
    const apart = values[c]! - mean
    squares += apart * apart
  }
  return { mean, deviation: Math.sqrt(squares / count) }
}

/**
 * The largest difference between entries of S[probe, ·] that rounding alone can make, for each probe,
 * from the diagonal of S: a part of the product of its length and the length of the longest candidate,
 * which is 1 for cosines.
 */
export function noiseOf(squares: Float64Array, probes: readonly number[]): number[] {
  let longest = 0
  for (let c = 1; c < squares.length; c++) longest = Math.max(longest, squares[c]!)
  const noise: number[] = []
  for (const probe of probes) noise.push(ROUNDING * Math.sqrt(squares[probe]! * longest))
  return noise
}
