import { KithError } from '../error.ts'
import { isObject } from '../matrix.ts'
import { show } from '../settings/show.ts'
import type { MetricUse } from './metric.ts'

/** A new order of candidates: their indices, best first, and a score for each place. */
export interface Ranking {
  /** Candidate indices, best first: all of them. */
  order: Uint32Array
  /** scores[i] belongs to order[i]; they never increase. */
  scores: Float32Array
  /** How the embeddings were compared; undefined if none were. */
  metric?: MetricUse | undefined
  /**
   * similarities[i] belongs to order[i]: its inner product or cosine with the query, as `metric`
   * says. NaN for a candidate without a vector, or beyond the candidates that the ranking reads;
   * undefined if no embeddings were compared.
   */
  similarities?: Float32Array | undefined
}

/** How far apart the scores behind the context are: a few steps of float32. */
const STEP = 2 ** -20

/** The lowest float32. */
const LOWEST = -3.4028234663852886e38

/**
 * Section 5: sorts the candidates of a context by s*, descending, ties by the lower index.
 * `scores` and `similarity` have the query's own value at 0.
 */
export function orderByScore(
  scores: Float64Array,
  metric?: MetricUse,
  similarity?: ArrayLike<number>,
): Ranking {
  const order = sortByScore(scores)
  const similarities = similarity && inOrder(order, similarity)
  return { order, scores: inOrder(order, scores), metric, similarities }
}

/** The values of the candidates in an order; the query's own value is at 0. A loop: `from` takes ten times as long. */
function inOrder(order: Uint32Array, values: ArrayLike<number>): Float32Array {
  const sorted = new Float32Array(order.length)
  for (let i = 0; i < sorted.length; i++) sorted[i] = values[order[i]! + 1]!
  return sorted
}

/**
 * A context's ranking as one of all candidates: the context's, then the others that were looked at,
 * then the rest as they were.
 *
 * @param looked The candidates that were looked at, the context's first; undefined if these are the
 * first ones in their order.
 * @param similarity Similarity of each candidate that was read to the query; the query's value is at 0.
 */
export function rankingOfAll(
  inner: Ranking,
  looked: Uint32Array | undefined,
  candidates: number,
  similarity?: ArrayLike<number>,
): Ranking {
  const inside = inner.order.length
  if (!looked) return inside < candidates ? extendRanking(inner, candidates) : inner
  const { scores, metric, similarities } = inner
  const order = new Uint32Array(inside)
  for (let i = 0; i < inside; i++) order[i] = looked[inner.order[i]!]!
  const rest: number[] = []
  for (let i = inside; i < looked.length; i++) rest.push(looked[i]!)
  for (let index = looked.length; index < candidates; index++) rest.push(index)
  return continueRanking({ order, scores, metric, similarities }, rest, similarity)
}

/**
 * Appends the candidates behind the context, up to `candidates` in all, in their
 * old order, each with a score a little lower than the one before, so that
 * sorting by score keeps it.
 */
export function extendRanking(ranking: Ranking, candidates: number): Ranking {
  const { order } = checkRanking(ranking)
  const inside = order.length
  if (!Number.isSafeInteger(candidates) || candidates < inside) {
    throw new KithError(
      'BAD_INPUT',
      `candidates must be a whole number of at least ${inside}, the length of the ranking, got ${show(candidates)}`,
    )
  }
  const rest = Array.from({ length: candidates - inside }, (_, i) => inside + i)
  return continueRanking(ranking, rest)
}

/**
 * Appends further candidates in the given order, each with a score a little lower than the one
 * before, so that sorting by score keeps it.
 */
function continueRanking(
  ranking: Ranking,
  rest: readonly number[],
  similarity: ArrayLike<number> = [],
): Ranking {
  const inside = ranking.order.length
  const candidates = inside + rest.length
  const order = new Uint32Array(candidates)
  const scores = new Float32Array(candidates)
  let similarities: Float32Array | undefined
  if (ranking.similarities) {
    similarities = new Float32Array(candidates).fill(Number.NaN)
    similarities.set(ranking.similarities)
    for (let i = 0; i < rest.length; i++) {
      const known = similarity[rest[i]! + 1]
      if (known !== undefined) similarities[inside + i] = known
    }
  }
  order.set(ranking.order)
  order.set(rest, inside)
  scores.set(ranking.scores)
  const last = ranking.scores[inside - 1] ?? 0
  const step = STEP * Math.max(1, Math.abs(last))
  for (let i = inside; i < candidates; i++) {
    scores[i] = Math.max(LOWEST, last - step * (i - inside + 1))
  }
  return { order, scores, metric: ranking.metric, similarities }
}

function checkRanking(ranking: Ranking): Ranking {
  const { order, scores } = (isObject(ranking) ? ranking : {}) as Ranking
  if (!ArrayBuffer.isView(order) || !ArrayBuffer.isView(scores)) {
    throw new KithError(
      'BAD_INPUT',
      'a ranking must have order (Uint32Array) and scores (Float32Array)',
    )
  }
  if (order.length === scores.length) return { order, scores }
  throw new KithError(
    'BAD_SHAPE',
    `a ranking must have as many scores as places (${order.length}), got ${scores.length}`,
  )
}

/** Up to this many, moving one at a time is faster than merging: the given order is nearly right. */
const RUN = 32

/** Room for the rows of one sort, twice, kept from call to call: nothing calls again in between. */
let room = new Uint32Array(512)

/** The indices of candidates by their score, descending, ties by the lower index; the query's own score is at 0. Merges sorted runs. */
export function sortByScore(scores: Float64Array): Uint32Array {
  const { length } = scores
  if (room.length < 2 * length) room = new Uint32Array(2 * length)
  const rows = room
  for (let from = 1; from < length; from += RUN) {
    const to = Math.min(from + RUN, length)
    for (let row = from; row < to; row++) {
      const score = scores[row]!
      let place = row
      for (; place > from && scores[rows[place - 1]!]! < score; place--) {
        rows[place] = rows[place - 1]!
      }
      rows[place] = row
    }
  }
  // Where the runs begin: they are merged from one half of the room to the other.
  let sorted = 0
  for (let run = RUN; run < length - 1; run *= 2) {
    const merged = length - sorted
    for (let from = 1; from < length; from += 2 * run) {
      const middle = Math.min(from + run, length)
      const to = Math.min(middle + run, length)
      let left = sorted + from
      let right = sorted + middle
      const leftEnd = right
      const rightEnd = sorted + to
      for (let at = merged + from; left < leftEnd || right < rightEnd; at++) {
        const takesRight =
          left === leftEnd || (right < rightEnd && scores[rows[right]!]! > scores[rows[left]!]!)
        rows[at] = rows[takesRight ? right++ : left++]!
      }
    }
    sorted = merged
  }
  const order = new Uint32Array(length - 1)
  for (let i = 0; i < order.length; i++) order[i] = rows[sorted + i + 1]! - 1
  return order
}
