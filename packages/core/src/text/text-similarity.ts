import { cosine } from '../method/similarity-steps.ts'
import { POSTING, type Postings } from './postings.ts'

/**
 * Section 4, the text view: S_text, m × m, of the texts of a context; row 0 is
 * the query's.
 *
 * A term weighs (1 + ln tf) · ln((N + 1) / (df + 0.5)), df counted among the N
 * candidates; terms that no candidate has are dropped.
 */
export function textSimilarity(postings: Postings): Float32Array {
  const rows = postings.texts
  const terms = Array.from({ length: rows }, (_, i) => termWeights(postings, i))
  const frequency = new Map<number, number>()
  for (const text of terms.slice(1)) {
    for (const term of text.keys()) frequency.set(term, (frequency.get(term) ?? 0) + 1)
  }
  const weighted = terms.map((text) => {
    const weights = new Map<number, number>()
    for (const [term, weight] of text) {
      const df = frequency.get(term)
      if (df !== undefined) weights.set(term, weight * inverseFrequency(rows - 1, df))
    }
    return weights
  })
  const s = new Float32Array(rows * rows)
  for (let i = 0; i < rows; i++) {
    for (let j = i; j < rows; j++) {
      let sum = 0
      for (const [term, weight] of weighted[i]!) sum += weight * (weighted[j]!.get(term) ?? 0)
      s[i * rows + j] = sum
    }
  }
  cosine(s, rows)
  return s
}

/** ln((N + 1) / (df + 0.5)). */
export function inverseFrequency(candidates: number, df: number): number {
  return Math.log((candidates + 1) / (df + 0.5))
}

/** 1 + ln tf in single precision, as the compiled kernels keep it. */
export function frequencyWeight(tf: number): number {
  return Math.fround(1 + Math.log(tf))
}

/** The terms of text i with their weights 1 + ln tf; a term's key is its 53-bit hash. */
function termWeights({ words, starts }: Postings, i: number): Map<number, number> {
  const weights = new Map<number, number>()
  for (let at = starts[i]! * POSTING; at < starts[i + 1]! * POSTING; at += POSTING) {
    weights.set(words[at + 1]! * 2 ** 32 + words[at]!, frequencyWeight(words[at + 2]!))
  }
  return weights
}
