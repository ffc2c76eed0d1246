import type { Matrix } from '../matrix.ts'
import type { MethodSettings } from './method-settings.ts'

/**
 * Pseudo-relevance feedback: moves the query's vector towards the mean of its first candidates,
 * which are taken for relevant.
 *
 * @param context The query's vector in row 0, its candidates' below.
 */
export function feedbackVector(
  { data, rows, dimensions }: Matrix,
  { feedbackDocs, feedbackWeight }: Pick<MethodSettings, 'feedbackDocs' | 'feedbackWeight'>,
): Float32Array {
  const count = Math.min(feedbackDocs, rows - 1)
  const share = count > 0 ? feedbackWeight : 0
  const moved = new Float32Array(dimensions)
  for (let j = 0; j < dimensions; j++) {
    let sum = 0
    for (let i = 1; i <= count; i++) sum += data[i * dimensions + j]!
    moved[j] = (1 - share) * data[j]! + (count > 0 ? (share * sum) / count : 0)
  }
  return moved
}
