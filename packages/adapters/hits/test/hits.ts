/** Hits of three topics around a query: vectors and texts in the order of a store's answer. */
export function sampleHits(count = 12, dimensions = 8) {
  const topics = ['bees visit flowers', 'honey prices rise', 'winter storms come']
  const vectorOf = (angle: number, i: number) =>
    Array.from({ length: dimensions }, (_, j) =>
      Math.fround(Math.cos(angle * (j + 1)) + 0.05 * Math.sin(7 * i + 3 * j)),
    )
  const query = { vector: vectorOf(0.2, 0), text: 'which flowers do bees visit' }
  const similarity = (vector: number[]) =>
    vector.reduce((sum, value, j) => sum + value * query.vector[j]!, 0)
  const hits = Array.from({ length: count }, (_, i) => ({
    id: `d${i}`,
    vector: vectorOf(0.2 + 0.1 * (i % 3), i + 1),
    text: `${topics[i % 3]}, number ${i}`,
  })).sort((a, b) => similarity(b.vector) - similarity(a.vector))
  return { query, hits, vectors: hits.map((hit) => hit.vector), texts: hits.map((hit) => hit.text) }
}
