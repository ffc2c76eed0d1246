import type { Context } from '../context.ts'
import type { ViewWeights } from '../settings/settings.ts'
import { standardize } from './mix.ts'

/**
 * What stands for the similarity of candidates without a vector: the score that a retriever gave
 * them, standardized over all candidates with such a score, with the weight that the similarity of
 * their vectors would have; where no candidate has a vector, the scores have all of it. 0, the mean,
 * for all other rows.
 */
export function scoreTerm(
  { rows, missing, scores }: Context,
  weights: ReadonlyMap<string, ViewWeights>,
): Float64Array {
  const term = new Float64Array(rows)
  if (!scores || missing.length === 0) return term
  const without = Array.from(scores.keys()).filter((row) => Number.isNaN(scores[row]))
  const z = standardize(scores, without)
  const { score: weight } = weights.get('vectors') ?? { score: 1 }
  for (const row of missing) if (!Number.isNaN(scores[row])) term[row] = weight * z[row]!
  return term
}
