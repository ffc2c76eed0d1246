import { ROUNDING, standardize } from './method/mix.ts'
import type { Ranking } from './method/order-by-score.ts'
import type { RankedContext } from './method/rank-context.ts'
import type { WordsScores } from './method/score-context.ts'
import type { Settings } from './settings/settings.ts'

/** The parts of a score, which is their sum: how far each term lifts the candidate above the mean. */
export interface ScoreParts {
  similarity: number
  words: number
  neighbors: number
  support: number
  /** Part of the query's terms that are close together in the text. */
  window: number
  /** Part of the query's terms in the title. */
  title: number
  /** Part of the candidate's prior, if there are priors. */
  prior: number
}

/** The parts of a score that has none. */
export const noParts: Readonly<ScoreParts> = {
  similarity: 0,
  words: 0,
  neighbors: 0,
  support: 0,
  window: 0,
  title: 0,
  prior: 0,
}

/** A ranking, and what the scores of its context are made of. */
export interface TakenApart {
  ranking: Ranking
  /** The candidates of the context by their index. */
  context: Uint32Array
  /** The parts of each one's score, in the order of `context`; all 0 with the raw mix. */
  parts: ScoreParts[]
}

/** The parts of every score of a context, in the context's order. */
export function scoreParts(ranked: RankedContext, settings: Settings): ScoreParts[] {
  if (ranked.words) return wordsParts(ranked.words, settings)
  const { geometric, jaccard } = ranked.neighbors!
  const parts = Array.from(jaccard.subarray(1), () => ({ ...noParts }))
  // The terms of the raw mix have no common scale.
  if (settings.mix === 'raw') return parts
  const { lambda } = settings
  const near = standardize(geometric.values, [0], geometric.noise)
  const shared = standardize(jaccard, [0], ROUNDING)
  parts.forEach((part, i) => {
    part.similarity = lambda * near[i + 1]!
    part.neighbors = (1 - lambda) * shared[i + 1]!
  })
  return parts
}

/** The parts of the scores with words. */
function wordsParts(found: WordsScores, settings: Settings): ScoreParts[] {
  const { bm25Weight, neighborWeight, supportWeight, windowWeight, titleWeight } = settings
  const own = 1 - neighborWeight - supportWeight
  const near = aboveMean(found.similarity, 1 - bm25Weight)
  const matched = aboveMean(found.matched, bm25Weight)
  // g is the sum of both over its deviation, which the candidate farthest from the mean tells best.
  const sums = near.map((value, i) => value + matched[i]!)
  const farthest = sums.reduce(
    (best, sum, i) => (Math.abs(sum) > Math.abs(sums[best]!) ? i : best),
    0,
  )
  const factor = sums[farthest] ? found.relevance[farthest + 1]! / sums[farthest]! : 0
  return near.map((value, i) => ({
    similarity: own * factor * value,
    words: own * factor * matched[i]!,
    neighbors: neighborWeight * found.neighbors[i + 1]!,
    support: supportWeight * found.support[i + 1]!,
    window: windowWeight * (found.matches?.window[i + 1] ?? 0),
    title: titleWeight * (found.matches?.title[i + 1] ?? 0),
    prior: 0,
  }))
}

/** How far each candidate's value, times a weight, lies above the mean; the query's is left out. */
function aboveMean(values: ArrayLike<number>, weight: number): number[] {
  const own = Array.from(values).slice(1)
  const mean = own.reduce((sum, value) => sum + value, 0) / own.length
  return own.map((value) => weight * (value - mean))
}
