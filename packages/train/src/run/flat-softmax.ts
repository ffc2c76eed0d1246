import type { TargetList } from '../data/targets.ts'
import { type DocumentVectors, innerProducts } from '../data/training-query.ts'

/** The fraction of the maximum entropy from which a softmax hardly distinguishes candidates. */
const FLAT = 0.97
/** The maximum fraction of the maximum entropy that a suggested inverse temperature may give. */
const WELL = 0.8

/** Computes the inner products of queries with their candidates, one list per query. */
export function scoresOf(
  embeddings: { data: Float32Array; dimensions: number },
  lists: readonly TargetList[],
  documents: DocumentVectors,
): Float64Array[] {
  const { data, dimensions } = embeddings
  return lists.map(({ rows }, q) => {
    const own = data.subarray(q * dimensions, (q + 1) * dimensions)
    return innerProducts(own, rows, documents)
  })
}

/**
 * Suggests a higher inverse temperature if the given one makes the softmax over candidates nearly
 * uniform: then all candidates get similar gradients, and nothing is learned. Returns undefined if
 * the given one is good, or if no value helps since all scores are equal.
 */
export function sharperThan(
  inverseTemperature: number,
  scores: readonly Float64Array[],
): number | undefined {
  if (evenness(scores, inverseTemperature) < FLAT) return undefined
  // Try round numbers: 1, 2, 5, 10, …
  const exponent = Math.floor(Math.log10(inverseTemperature))
  for (let power = exponent; power < exponent + 8; power++) {
    for (const digit of [1, 2, 5]) {
      const tried = digit * 10 ** power
      if (tried > inverseTemperature && evenness(scores, tried) <= WELL) return tried
    }
  }
  return undefined
}

/** Returns the mean entropy of the softmax over each list, as a fraction of the maximum entropy. */
function evenness(lists: readonly Float64Array[], factor: number): number {
  const longer = lists.filter(({ length }) => length > 1)
  if (longer.length === 0) return 0
  const sum = longer.reduce((total, scores) => {
    return total + entropy(scores, factor) / Math.log(scores.length)
  }, 0)
  return sum / longer.length
}

function entropy(scores: Float64Array, factor: number): number {
  const highest = scores.reduce((most, score) => Math.max(most, factor * score), -Infinity)
  let [total, weighted] = [0, 0]
  for (const score of scores) {
    const logit = factor * score - highest
    const power = Math.exp(logit)
    total += power
    weighted += power * logit
  }
  return Math.log(total) - weighted / total
}
