/** BM25 over a whole collection (k1 0.9, b 0.4; English stems without stop words), for labels that an engine by words has biased. */
import { prepareText } from '@kith/core'

const [K1, B] = [0.9, 0.4]

/** The first documents of each query: `{ query, ids, scores }`, best first. */
export function* searchBm25(documents, queries, top) {
  const index = new Map()
  const ids = []
  const lengths = []
  for (const { id, title, text } of documents) {
    const row = ids.push(id) - 1
    let length = 0
    for (const [term, count] of termsOf(title ? `${title} ${text}` : text)) {
      length += count
      if (!index.has(term)) index.set(term, [])
      index.get(term).push(row, count)
    }
    lengths.push(length)
  }
  const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length
  const scores = new Float64Array(ids.length)
  for (const { id, text } of queries) {
    scores.fill(0)
    for (const [term] of termsOf(text)) {
      const found = index.get(term) ?? []
      const frequency = found.length / 2
      const weight = Math.log(1 + (ids.length - frequency + 0.5) / (frequency + 0.5))
      for (let i = 0; i < found.length; i += 2) {
        const [row, count] = [found[i], found[i + 1]]
        const norm = K1 * (1 - B + (B * lengths[row]) / mean)
        scores[row] += (weight * count * (K1 + 1)) / (count + norm)
      }
    }
    const rows = [...scores.keys()].filter((row) => scores[row] > 0)
    rows.sort((a, b) => scores[b] - scores[a] || a - b)
    const first = rows.slice(0, top)
    if (first.length === 0) continue
    yield { query: id, ids: first.map((row) => ids[row]), scores: first.map((row) => scores[row]) }
  }
}

/** The terms of a text with their counts; a term is named by its hash. */
function* termsOf(text) {
  const { postings } = prepareText(text)
  for (let i = 0; i < postings.length; i += 3) {
    yield [`${postings[i]} ${postings[i + 1]}`, postings[i + 2]]
  }
}
