import { z } from 'zod'
import type { RankedList, Ranker } from '../ranker.ts'

/** The similarity of a document, beside its `relevance_score`. */
export const similaritySchema = z.number().meta({
  description: 'The cosine or inner product with the query.',
})

/** The field of an answer's `meta` that says what `relevance_score` means. */
export const relevanceSchema = z.object({
  relevance: z.enum(['estimated', 'calibrated']).optional().meta({
    description:
      'Source of the probability in relevance_score: estimated, or calibrated on judged queries. Absent if the score is not a probability and only compares the documents of this request.',
  }),
})

/** Returns the meaning of `relevance_score` if it is a probability. */
export function relevanceMeta(
  { ranker }: { ranker: Ranker },
  { relevances }: Pick<RankedList, 'relevances'>,
): z.output<typeof relevanceSchema> {
  if (relevances?.[0] === undefined) return {}
  return { relevance: ranker.scale.calibration ? 'calibrated' : 'estimated' }
}

/**
 * Returns the `relevance_score` of each place, in descending order: the estimated relevance if it
 * is known. For hits after those with an estimate, it decreases with the scores.
 */
export function relevancesOf({ scores, relevances }: RankedList): number[] {
  const last = relevances?.findLastIndex((relevance) => relevance !== undefined) ?? -1
  const least = last < 0 ? 1 : relevances![last]! / relevanceOf(scores[last]!)
  return Array.from(scores, (score, place) => relevances?.[place] ?? least * relevanceOf(score))
}

/**
 * Maps a score to a relevance between 0 and 1, as Cohere, Jina and text-embeddings-inference return
 * it. Scores of the standard mix are deviations from the mean of the request's documents, so 0.5 is
 * an average document. Unlike the logistic function, this function keeps scores of any size
 * distinct: raw inner products are around 100.
 */
function relevanceOf(score: number): number {
  return 0.5 + (0.5 * score) / (1 + Math.abs(score))
}
