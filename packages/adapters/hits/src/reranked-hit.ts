import type { Ranking } from '@kith/core'

/** A hit in its new place. */
export interface RerankedHit<Hit> {
  /** The hit as the store returned it, its own score included. */
  hit: Hit
  /** The new score. It compares hits of one query only: 0 is about the average of the context. */
  score: number
  /** Where the hit stood before, from 0. */
  index: number
}

/** The first `topN` hits of a ranking. */
export function rankedHits<Hit>(
  hits: readonly Hit[],
  { order, scores }: Ranking,
  topN: number,
): RerankedHit<Hit>[] {
  return Array.from(order.subarray(0, topN), (index, place) => ({
    hit: hits[index]!,
    score: scores[place]!,
    index,
  }))
}
