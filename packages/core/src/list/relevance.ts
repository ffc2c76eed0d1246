/** How many of the first hits have an estimated relevance. */
export const ESTIMATED = 20

/** The inputs of the estimate of one hit. */
export interface HitFeatures {
  /** The cosine with the query, in deviations above the mean of pairs of documents. */
  similarity: number
  /** The part of the query's terms, by their weight, that the text has. */
  coverage: number
  /** From 1. */
  rank: number
  score: number
}

/** The inputs of the estimate of a query. */
export interface QueryFeatures {
  /** The largest cosine, in deviations above the mean of nearest documents. */
  nearest: number
  /** The largest cosine, in deviations above the mean of the query's cosines with the sample. */
  background: number
  /** The largest BM25 score as a part of the highest possible one. */
  words: number
  /** The largest coverage. */
  coverage: number
  /** How many terms the query has. */
  terms: number
}

/** The weight of an input, and the mean and deviation by which it is clipped. */
type Weighed = readonly [weight: number, mean: number, deviation: number]

/** Deviations from the mean that an input is clipped to. */
const CLIP = 5

/** docs/method.md section 4, estimated relevance. */
const hitModel = {
  intercept: -4.665,
  similarity: [0.337, 3.491, 1.92],
  coverage: [1.115, 0.425, 0.368],
  logRank: 0.659,
  score: [1.2175, 0.792, 0.843],
} as const

/** docs/method.md section 4, on-topic queries. */
const queryModel = {
  intercept: 4.093,
  nearest: [2.294, -1.574, 1.972],
  background: [-1.029, 5.704, 1.908],
  words: [6.022, 0.393, 0.246],
  coverage: [2.864, 0.608, 0.353],
  logTerms: 0.987,
} as const

/** Platt scaling: logit P becomes a · logit P + b. */
export interface Calibration {
  a: number
  b: number
}

/** The estimated probability that a hit is relevant. */
export function estimateRelevance(hit: HitFeatures): number {
  return sigmoid(
    hitModel.intercept +
      weigh(hit.similarity, hitModel.similarity) +
      weigh(hit.coverage, hitModel.coverage) +
      hitModel.logRank * Math.log(hit.rank) +
      weigh(hit.score, hitModel.score),
  )
}

/** The estimated probability that a query is about something that the corpus has. */
export function estimateOnTopic(query: QueryFeatures): number {
  return sigmoid(
    queryModel.intercept +
      weigh(query.nearest, queryModel.nearest) +
      weigh(query.background, queryModel.background) +
      weigh(query.words, queryModel.words) +
      weigh(query.coverage, queryModel.coverage) +
      queryModel.logTerms * Math.log(1 + query.terms),
  )
}

/** A probability by Platt scaling. */
export function calibrated(probability: number, { a, b }: Calibration): number {
  return sigmoid(a * Math.log(probability / (1 - probability)) + b)
}

/** The nearest probabilities, by squares, that never rise: neighbors that do share their mean. */
export function neverRising(probabilities: readonly number[]): number[] {
  const blocks: { sum: number; count: number }[] = []
  for (const probability of probabilities) {
    let block = { sum: probability, count: 1 }
    for (let last = blocks.at(-1); last; last = blocks.at(-1)) {
      if (last.sum / last.count >= block.sum / block.count) break
      block = { sum: last.sum + block.sum, count: last.count + block.count }
      blocks.pop()
    }
    blocks.push(block)
  }
  return blocks.flatMap(({ sum, count }) => new Array<number>(count).fill(sum / count))
}

/** How many of the first hits give the largest expected F1: 2 · Σ P of the kept / (kept + Σ P of all). */
export function expectedBest(probabilities: readonly number[]): number {
  const all = probabilities.reduce((sum, probability) => sum + probability, 0)
  let [best, most, kept] = [0, 0, 0]
  probabilities.forEach((probability, i) => {
    kept += probability
    const expected = (2 * kept) / (i + 1 + all)
    if (expected > most) [best, most] = [i + 1, expected]
  })
  return best
}

function weigh(value: number, [weight, mean, deviation]: Weighed): number {
  const clipped = Math.max(mean - CLIP * deviation, Math.min(mean + CLIP * deviation, value))
  return weight * clipped
}

function sigmoid(logit: number): number {
  return 1 / (1 + Math.exp(-logit))
}
