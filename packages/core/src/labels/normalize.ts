import { ROUNDING } from '../method/mix.ts'
import type { Normalization } from './label-settings.ts'

/**
 * Section 6, step 5: f_n of some evidence, with the statistics of `over`. If these are
 * constant except for rounding, or none of them is above 0 for `max`, every result is 0.
 */
export function normalize(
  evidence: Float64Array,
  over: Float64Array,
  how: Normalization,
): Float64Array {
  const { low, high, deviation } = how === 'none' ? unscaled : statistics(over)
  const noise = ROUNDING * Math.max(Math.abs(low), Math.abs(high))
  const normalized = new Float64Array(evidence.length)
  if (!(high - low > noise) || (how === 'max' && high <= 0)) return normalized
  const least = how === 'max' ? 0 : low
  const unit = how === 'max' ? high : how === 'maxmin' ? high - low : deviation
  for (let i = 0; i < normalized.length; i++) normalized[i] = (evidence[i]! - least) / unit
  return normalized
}

/** The statistics that leave evidence unchanged. */
const unscaled: Statistics = { low: 0, high: 1, deviation: 1 }

interface Statistics {
  low: number
  high: number
  deviation: number
}

function statistics(values: Float64Array): Statistics {
  let low = Infinity
  let high = -Infinity
  let sum = 0
  for (let i = 0; i < values.length; i++) {
    low = Math.min(low, values[i]!)
    high = Math.max(high, values[i]!)
    sum += values[i]!
  }
  const mean = sum / values.length
  let squares = 0
  for (let i = 0; i < values.length; i++) squares += (values[i]! - mean) ** 2
  return { low, high, deviation: Math.sqrt(squares / values.length) }
}
