/** Rounds after which scores no longer change: 0.99 to this power is nothing. */
const MOST_ROUNDS = 2000

/** A change that no ranking sees. */
const SETTLED = 1e-9

/**
 * Score regularization over the graph of documents: similar documents shall have similar scores.
 * Solves f = smoothness · W f + (1 − smoothness) · scores, W the symmetrically normalized
 * similarities of each document and its k nearest others; negative similarities count as none.
 *
 * @param similarity S of the candidates among themselves, row by row.
 */
export function regularize(
  scores: Float64Array,
  similarity: readonly Float32Array[],
  { k, smoothness }: { k: number; smoothness: number },
): Float64Array {
  const graph = normalized(nearestOf(similarity, k))
  let smooth = scores
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const before = smooth
    let change = 0
    smooth = Float64Array.from(scores, (own, i) => {
      let sum = 0
      for (const [j, weight] of graph[i]!) sum += weight * before[j]!
      const value = smoothness * sum + (1 - smoothness) * own
      change = Math.max(change, Math.abs(value - before[i]!))
      return value
    })
    if (change < SETTLED) break
  }
  return smooth
}

/** The edges of each document: an edge is there if either end counts the other among its nearest. */
function nearestOf(similarity: readonly Float32Array[], k: number): Map<number, number>[] {
  const edges = similarity.map(() => new Map<number, number>())
  similarity.forEach((row, i) => {
    const nearest = Array.from(row.keys())
      .filter((j) => j !== i && row[j]! > 0)
      .sort((a, b) => row[b]! - row[a]! || a - b)
      .slice(0, k)
    for (const j of nearest) {
      edges[i]!.set(j, row[j]!)
      edges[j]!.set(i, row[j]!)
    }
  })
  return edges
}

/** Divides each weight by the root of both ends' sums of weights. */
function normalized(edges: readonly Map<number, number>[]): Map<number, number>[] {
  const degrees = edges.map((own) => [...own.values()].reduce((sum, weight) => sum + weight, 0))
  return edges.map(
    (own, i) => new Map([...own].map(([j, w]) => [j, w / Math.sqrt(degrees[i]! * degrees[j]!)])),
  )
}
