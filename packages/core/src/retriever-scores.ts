/** A retriever's scores, one for each candidate; undefined where it gave none. */
export type RetrieverScores = readonly (number | undefined)[]

/**
 * Scores of which the higher is the better. Candidates stand best first: scores that rise all the
 * way down are distances, and are negated.
 */
export function higherIsBetter(scores: RetrieverScores): RetrieverScores {
  const known = scores.filter((score) => score !== undefined)
  const rising = known.every((score, i) => i === 0 || score >= known[i - 1]!)
  if (!rising || known[0] === known.at(-1)) return scores
  return scores.map((score) => (score === undefined ? undefined : -score))
}
