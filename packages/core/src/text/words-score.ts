import { POSTING, type Postings } from './postings.ts'
import { documentFrequency, type TermStatistics } from './term-statistics.ts'

/** The settings of the BM25 score. */
export interface WordsSettings {
  k1: number
  b: number
  /** Term statistics of the corpus; without them, the candidates are counted. */
  statistics?: TermStatistics | undefined
}

/**
 * Section 4, the BM25 score W: BM25 of each candidate's text for the query's, in plain TypeScript.
 * Row 0 is the query's; its own entry is 0.
 */
export function wordsScores(postings: Postings, settings: WordsSettings): Float64Array {
  return scoresOf(postings, queryTerms(postings), settings)
}

function scoresOf(postings: Postings, query: QueryTerms, settings: WordsSettings): Float64Array {
  const rows = postings.texts
  const counts: Map<number, number>[] = []
  const lengths = new Float64Array(rows)
  const candidates = new Float64Array(query.hashes.length)
  for (let row = 1; row < rows; row++) {
    const found = new Map<number, number>()
    eachPosting(postings, row, (hash, tf) => {
      found.set(hash, tf)
      lengths[row]! += tf
    })
    counts[row] = found
    query.hashes.forEach((hash, j) => {
      if (found.has(hash)) candidates[j]!++
    })
  }
  const weights = termWeights(query, candidates, rows - 1, settings)
  const { k1, b } = settings
  const mean = meanLength(lengths, settings)
  const scores = new Float64Array(rows)
  for (let row = 1; row < rows; row++) {
    const norm = k1 * (1 - b + (b * lengths[row]!) / mean)
    query.hashes.forEach((hash, j) => {
      const tf = counts[row]!.get(hash)
      if (tf !== undefined) scores[row]! += (weights[j]! * tf) / (tf + norm)
    })
  }
  return scores
}

/** The parts of one text's score: each of the query's terms that it has, by its 53-bit hash. */
export function matchedTerms(
  postings: Postings,
  row: number,
  settings: WordsSettings,
): { hash: number; score: number }[] {
  const query = queryTerms(postings)
  return query.hashes.flatMap((hash, j) => {
    // The score is a sum over the query's terms; each summand is the part of one term.
    const one = { hashes: [hash], counts: [query.counts[j]!] }
    const score = scoresOf(postings, one, settings)[row]!
    return score > 0 ? [{ hash, score }] : []
  })
}

/** The query's terms: their hashes, and how often the query has each. */
export interface QueryTerms {
  hashes: number[]
  counts: number[]
}

/** The terms of row 0, in the order of their postings. */
export function queryTerms({ words, starts }: Postings): QueryTerms {
  const terms: QueryTerms = { hashes: [], counts: [] }
  for (let at = 0; at < starts[1]! * POSTING; at += POSTING) {
    terms.hashes.push(words[at + 1]! * 2 ** 32 + words[at]!)
    terms.counts.push(words[at + 2]!)
  }
  return terms
}

/** qtf · idf · (k1 + 1) of each term of the query. */
export function termWeights(
  { hashes, counts }: QueryTerms,
  candidates: ArrayLike<number>,
  count: number,
  { k1, statistics }: WordsSettings,
): Float64Array {
  const weights = new Float64Array(hashes.length)
  for (let j = 0; j < weights.length; j++) {
    // The leading 1 keeps a term that most candidates have from counting for nothing.
    const idf = statistics
      ? rarity(statistics.documents, documentFrequency(statistics, hashes[j]!))
      : 1 + rarity(count, candidates[j]!)
    weights[j] = counts[j]! * idf * (k1 + 1)
  }
  return weights
}

/** Returns the mean number of terms of the texts; 1 if all texts are empty. */
export function meanLength(lengths: Float64Array, { statistics }: WordsSettings): number {
  if (statistics) return statistics.length / statistics.documents || 1
  let sum = 0
  for (let row = 1; row < lengths.length; row++) sum += lengths[row]!
  return sum / (lengths.length - 1) || 1
}

/** ln(1 + (N − n + 0.5) / (n + 0.5)). */
function rarity(documents: number, n: number): number {
  return Math.log(1 + (Math.max(documents, n) - n + 0.5) / (n + 0.5))
}

function eachPosting(
  { words, starts }: Postings,
  row: number,
  visit: (hash: number, tf: number) => void,
): void {
  for (let at = starts[row]! * POSTING; at < starts[row + 1]! * POSTING; at += POSTING) {
    visit(words[at + 1]! * 2 ** 32 + words[at]!, words[at + 2]!)
  }
}
