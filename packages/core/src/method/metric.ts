import type { Products } from '../kernel/engine.ts'
import type { Settings } from '../settings/settings.ts'
import { ROUNDING } from './mix.ts'

/** The metric of a similarity: the inner product, or the cosine. */
export type Metric = 'dot' | 'cosine'

/** How vectors were compared, and why. */
export interface MetricUse {
  name: Metric
  /** Whether the query and all candidates have length 1: both metrics then give the same order. */
  unit: boolean
  /**
   * The share of pairs of candidates, from 0 to 1, that each metric puts in the order in which the
   * candidates came. Undefined if all vectors have length 1, or do not fit float32.
   */
  agreement?: Readonly<Record<Metric, number>> | undefined
}

/** Squared lengths up to this one keep inner products and their cosines within float32. */
export const LARGEST_SQUARE = 1e36

/** Squared lengths this near to 1 count as unit length, in half precision too. */
const UNIT = 2e-3

/** If no row lacks a vector. */
const none: readonly number[] = []

/**
 * Section 1: the metric of a context. `auto` is the inner product if all vectors have length 1,
 * and else the metric that `fittingMetric` gives.
 *
 * The kind of arrays and the properties of the result are always the same, so that V8 compiles
 * what reads them once.
 *
 * @param missing The rows without a vector.
 */
export function chooseMetric(
  metric: Settings['metric'],
  { toQuery, squares }: Products,
  missing = none,
): MetricUse {
  let unit = true
  let long = false
  for (let row = 0; row < squares.length; row++) {
    const square = squares[row]!
    if (Math.abs(square - 1) <= UNIT) continue
    if (!(square <= LARGEST_SQUARE)) long = true
    else if (missing.length > 0 && missing.includes(row)) continue
    unit = false
  }
  const agreement = unit || long ? undefined : agreementOf(toQuery, squares, missing)
  if (metric !== 'auto') return { name: metric, unit, agreement }
  const name = agreement ? fittingMetric(agreement) : unit ? 'dot' : 'cosine'
  return { name, unit, agreement }
}

/** An order fits a metric that agrees with so large a share of its pairs. */
export const FITS = 0.9

/**
 * The metric of vectors that differ in length: the inner product if the order fits it, and fits it
 * better than the cosine; else the cosine.
 */
export function fittingMetric({ dot, cosine }: Readonly<Record<Metric, number>>): Metric {
  return dot >= FITS && dot > cosine ? 'dot' : 'cosine'
}

/** Room for the similarities of one context, kept from call to call: nothing calls again in between. */
let dots = new Float64Array(256)
let cosines = new Float64Array(256)

/**
 * The share of pairs that each metric puts in the order of the candidates, over all pairs whose
 * places are a power of four apart: n log n of them, neighbors included, so that a metric agrees with
 * all of them only if its order is the order of the candidates.
 */
function agreementOf(
  toQuery: Float64Array,
  squares: Float64Array,
  missing: readonly number[],
): Record<Metric, number> {
  if (dots.length < squares.length) {
    dots = new Float64Array(squares.length)
    cosines = new Float64Array(squares.length)
  }
  let count = 0
  let longest = 0
  for (let row = 1; row < squares.length; row++) {
    if (missing.length > 0 && missing.includes(row)) continue
    const length = Math.sqrt(squares[row]!)
    dots[count] = toQuery[row]!
    // The query's own length is the same for all.
    cosines[count++] = length > 0 ? toQuery[row]! / length : 0
    if (length > longest) longest = length
  }
  // Pairs that only rounding reorders count as agreement.
  const noise = ROUNDING * Math.sqrt(squares[0]!)
  const dotNoise = noise * longest
  let pairs = 0
  let dot = 0
  let cosine = 0
  for (let step = 1; step < count; step *= 4) {
    for (let i = step; i < count; i++) {
      dot += Number(dots[i - step]! >= dots[i]! - dotNoise)
      cosine += Number(cosines[i - step]! >= cosines[i]! - noise)
    }
    pairs += count - step
  }
  return pairs === 0 ? { dot: 1, cosine: 1 } : { dot: dot / pairs, cosine: cosine / pairs }
}
