/**
 * Reciprocal rank fusion: the sum of 1 / (k + rank) over several scorings, ranks from 1,
 * ties by the lower index. Row 0, the query's own, has no rank.
 */
export function reciprocalRankFusion(
  scorings: readonly ArrayLike<number>[],
  k: number,
): Float64Array {
  const fused = new Float64Array(scorings[0]!.length)
  for (const scores of scorings) {
    Array.from({ length: fused.length - 1 }, (_, i) => i + 1)
      .sort((a, b) => scores[b]! - scores[a]! || a - b)
      .forEach((row, i) => {
        fused[row]! += 1 / (k + i + 1)
      })
  }
  return fused
}
