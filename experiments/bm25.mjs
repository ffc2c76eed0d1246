/** BM25 over a whole corpus (k1 0.9, b 0.4; English stems without stop words). */
import { prepareText } from '@kith/core'

const [K1, B] = [0.9, 0.4]

/** The BM25 score of every document (docs/method.md section 4), from an inverted index. */
export class WordsIndex {
  #documents = new Map()
  #lengths
  #mean

  /** Of prepared texts' postings: two halves of a term's hash and its count, a term after the other. */
  constructor(all) {
    this.#lengths = new Float64Array(all.length)
    all.forEach((postings, row) => {
      eachTerm(postings, (term, count) => {
        if (!this.#documents.has(term)) this.#documents.set(term, [])
        this.#documents.get(term).push(row, count)
        this.#lengths[row] += count
      })
    })
    this.#mean = this.#lengths.reduce((sum, length) => sum + length, 0) / all.length
  }

  /** W of all documents by row, for the postings of a query; `once` counts its repeated terms once. */
  scores(query, once = false) {
    const lengths = this.#lengths
    const scores = new Float64Array(lengths.length)
    eachTerm(query, (term, asked) => {
      const found = this.#documents.get(term) ?? []
      const frequency = found.length / 2
      const rarity = Math.log(1 + (lengths.length - frequency + 0.5) / (frequency + 0.5))
      const weight = (once ? 1 : asked) * rarity * (K1 + 1)
      for (let i = 0; i < found.length; i += 2) {
        const [row, count] = [found[i], found[i + 1]]
        const norm = K1 * (1 - B + (B * lengths[row]) / this.#mean)
        scores[row] += (weight * count) / (count + norm)
      }
    })
    return scores
  }
}

/**
 * The first documents of each query: `{ query, ids, scores }`, best first. `kith search --bm25` counts
 * a repeated term of a query as often as it occurs; older studies count it `once`.
 */
export function* searchBm25(documents, queries, top, once = false) {
  const ids = Array.from(documents, ({ id }) => id)
  const texts = Array.from(documents, ({ title, text }) => (title ? `${title} ${text}` : text))
  const index = new WordsIndex(texts.map((text) => prepareText(text).postings))
  for (const { id, text } of queries) {
    const scores = index.scores(prepareText(text).postings, once)
    const rows = [...scores.keys()].filter((row) => scores[row] > 0)
    rows.sort((a, b) => scores[b] - scores[a] || a - b)
    const first = rows.slice(0, top)
    if (first.length === 0) continue
    yield { query: id, ids: first.map((row) => ids[row]), scores: first.map((row) => scores[row]) }
  }
}

function eachTerm(postings, visit) {
  for (let at = 0; at < postings.length; at += 3) {
    visit(postings[at + 1] * 2 ** 32 + postings[at], postings[at + 2])
  }
}
