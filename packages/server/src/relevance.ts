/**
 * A score as a relevance between 0 and 1, as Cohere, Jina and text-embeddings-inference
 * have it. Scores of the standard mix are deviations from the mean of the request's
 * documents, so 0.5 is an average document. Unlike the logistic function, this one keeps
 * scores of any size apart: those of raw inner products are around 100.
 */
export function relevanceOf(score: number): number {
  return 0.5 + (0.5 * score) / (1 + Math.abs(score))
}
