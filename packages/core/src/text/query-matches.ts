import { POSTING, type Postings } from './postings.ts'
import { type QueryTerms, queryTerms, termWeights, type WordsSettings } from './words-score.ts'

/** The settings of a match. */
export interface MatchSettings extends WordsSettings {
  /** How many terms in a row a window has. */
  windowTerms: number
}

/** The parts of the query's terms, by their weight and from 0 to 1, that each row has; 0 for the query's own. */
export interface QueryMatches {
  /** Within `windowTerms` terms in a row. */
  window: Float64Array
  /** In the title. */
  title: Float64Array
  /** Anywhere. */
  coverage: Float64Array
  /** T: the sum of qtf · idf over the query's terms. */
  total: number
}

/** The sum of the weights of a query's terms as whole numbers, up to rounding. */
const WHOLE = 2 ** 32

/** The weights of a query's terms as whole numbers: their sums are exact, so that texts with the same terms tie in any order of the terms. */
export interface MatchWeights {
  weights: Float64Array
  /** The sum of the weights; 1 for a query without terms. */
  whole: number
  /** T: the sum of qtf · idf. */
  total: number
}

/** The weights qtf · idf of the query's terms. */
export function matchWeights(
  query: QueryTerms,
  candidates: ArrayLike<number>,
  count: number,
  settings: WordsSettings,
): MatchWeights {
  const weights = termWeights(query, candidates, count, settings)
  let sum = 0
  for (const weight of weights) sum += weight
  let whole = 0
  for (let j = 0; j < weights.length; j++) {
    weights[j] = Math.round((weights[j]! / sum) * WHOLE)
    whole += weights[j]!
  }
  return { weights, whole: whole || 1, total: sum / (settings.k1 + 1) }
}

/** Section 4, window and title, in plain TypeScript. */
export function queryMatches(postings: Postings, settings: MatchSettings): QueryMatches {
  const rows = postings.texts
  const terms = Array.from({ length: rows }, (_, row) => hashesOf(postings, row))
  const { weights, whole, total } = weightsByHash(postings, terms, settings)
  const found = matchesOf(new Float64Array(rows * 3), total)
  for (let row = 1; row < rows; row++) {
    const own = terms[row]!
    found.coverage[row] = weigh(own, weights) / whole
    found.title[row] = weigh(own.slice(0, postings.titles[row]), weights) / whole
    if (found.coverage[row] === 0) continue
    const order = orderOf(postings, row)
    found.window[row] = bestWindow(order, weights, settings).weight / whole
  }
  return found
}

/** The matches whose windows, titles and coverages stand one behind the other. */
export function matchesOf(parts: Float64Array, total: number): QueryMatches {
  const rows = parts.length / 3
  return {
    window: parts.subarray(0, rows),
    title: parts.subarray(rows, 2 * rows),
    coverage: parts.subarray(2 * rows),
    total,
  }
}

/** The places, in the order of a text's terms, of the first and the last match of its best window; undefined without a match. */
export function windowOf(
  postings: Postings,
  row: number,
  settings: MatchSettings,
): { first: number; last: number } | undefined {
  const terms = Array.from({ length: postings.texts }, (_, own) => hashesOf(postings, own))
  const best = bestWindow(
    orderOf(postings, row),
    weightsByHash(postings, terms, settings).weights,
    settings,
  )
  return best.weight > 0 ? best : undefined
}

/** The window with the largest weight, the first of equal ones. */
function bestWindow(
  order: readonly (number | undefined)[],
  weights: ReadonlyMap<number, number>,
  { windowTerms }: MatchSettings,
): { weight: number; first: number; last: number } {
  let best = { weight: 0, first: 0, last: 0 }
  order.forEach((hash, last) => {
    if (hash === undefined || !weights.has(hash)) return
    const from = Math.max(0, last + 1 - windowTerms)
    const window = order.slice(from, last + 1)
    const weight = weigh(window, weights)
    if (weight <= best.weight) return
    best = { weight, first: from + window.findIndex((term) => weights.has(term!)), last }
  })
  return best
}

/** The sum of the weights of different terms. */
function weigh(
  terms: readonly (number | undefined)[],
  weights: ReadonlyMap<number, number>,
): number {
  let sum = 0
  for (const term of new Set(terms)) sum += weights.get(term!) ?? 0
  return sum
}

function weightsByHash(
  postings: Postings,
  terms: readonly (readonly number[])[],
  settings: WordsSettings,
): Omit<MatchWeights, 'weights'> & { weights: Map<number, number> } {
  const query = queryTerms(postings)
  const candidates = query.hashes.map(
    (hash) => terms.slice(1).filter((own) => own.includes(hash)).length,
  )
  const found = matchWeights(query, candidates, terms.length - 1, settings)
  const weights = new Map(query.hashes.map((hash, j) => [hash, found.weights[j]!]))
  return { ...found, weights }
}

/** The terms of a text in their order; undefined if a position has none. */
function orderOf(postings: Postings, row: number): (number | undefined)[] {
  const positions = postings.positionsOf(row)
  const order = new Array<number | undefined>(positions.length).fill(undefined)
  let from = 0
  hashesOf(postings, row).forEach((hash, i) => {
    const to = from + postings.words[(postings.starts[row]! + i) * POSTING + 2]!
    // More terms than positions, or a position that there is not: the prepared text was made wrong.
    if (to <= positions.length) {
      for (const at of positions.subarray(from, to)) if (at < order.length) order[at] = hash
    }
    from = to
  })
  return order
}

function hashesOf({ words, starts }: Postings, row: number): number[] {
  const hashes: number[] = []
  for (let at = starts[row]! * POSTING; at < starts[row + 1]! * POSTING; at += POSTING) {
    hashes.push(words[at + 1]! * 2 ** 32 + words[at]!)
  }
  return hashes
}
