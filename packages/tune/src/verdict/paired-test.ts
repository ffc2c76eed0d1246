import { compare, type Evaluation } from '@kith/ir'
import { tQuantile } from '@kith/ir/internal'

/** How sure the confidence interval is. */
const CONFIDENCE = 0.95

/** A t beyond this one says no more than this one, and JSON has no infinity. */
const LARGEST_T = 1e6

/** How much better one ranking is than another, over the same queries. */
export interface PairedTest {
  /** The mean difference. */
  gain: number
  /** Its 95 % confidence interval. */
  ci: readonly [low: number, high: number]
  /** The paired t-test: t, and its two-sided p. */
  t: number
  p: number
}

/** The evidence that `after` is better than `before`, from the values of at least two queries. */
export function pairedTest(before: Float64Array, after: Float64Array): PairedTest {
  // Of the comparison only the t-test is wanted: one permutation is the least that it takes.
  const { difference, t, tTest } = compare(asEvaluation(before), asEvaluation(after), 'value', {
    permutations: 1,
  })
  const n = before.length
  const squares = before.reduce((sum, value, i) => sum + (after[i]! - value - difference) ** 2, 0)
  const reach = tQuantile(CONFIDENCE, n - 1) * Math.sqrt(squares / (n - 1) / n)
  return {
    gain: difference,
    ci: [difference - reach, difference + reach],
    t: Math.min(LARGEST_T, Math.max(-LARGEST_T, t)),
    p: tTest,
  }
}

/** The mean of some values. */
export function meanOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function asEvaluation(values: Float64Array): Evaluation {
  const queries = Array.from(values, (_, i) => `${i}`)
  return { measures: ['value'], queries, mean: {}, perQuery: { value: values } }
}
