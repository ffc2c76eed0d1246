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
  if (how === 'none') return evidence
  const { low, high, deviation } = statistics(over)
  const noise = ROUNDING * Math.max(Math.abs(low), Math.abs(high))
  if (!(high - low > noise) || (how === 'max' && high <= 0))
    return new Float64Array(evidence.length)
  if (how === 'max') return evidence.map((value) => value / high)
  const unit = how === 'maxmin' ? high - low : deviation
  return evidence.map((value) => (value - low) / unit)
}

function statistics(values: Float64Array): { low: number; high: number; deviation: number } {
  let low = Infinity
  let high = -Infinity
  let sum = 0
  for (const value of values) {
    low = Math.min(low, value)
    high = Math.max(high, value)
    sum += value
  }
  const mean = sum / values.length
  let squares = 0
  for (const value of values) squares += (value - mean) ** 2
  return { low, high, deviation: Math.sqrt(squares / values.length) }
}
