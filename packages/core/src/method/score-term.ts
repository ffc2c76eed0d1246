import type { Context } from '../context.ts'
import { standardise } from './mix.ts'

/**
 * What stands for the similarity of candidates without a vector: the score that a retriever gave
 * them, standardised over all candidates with such a score. 0, the mean, for all other rows.
 */
export function scoreTerm({ rows, missing, scores }: Context): Float64Array {
  const term = new Float64Array(rows)
  if (!scores || missing.length === 0) return term
  const without = Array.from(scores.keys()).filter((row) => Number.isNaN(scores[row]))
  const z = standardise(scores, without)
  for (const row of missing) if (!Number.isNaN(scores[row])) term[row] = z[row]!
  return term
}
