/**
 * Section 3, local expansion: every row of V becomes the plain mean of the rows
 * of its first min(k_exp, k + 1) ranked neighbors.
 */
export function expandWeights(
  v: Float32Array,
  rank: readonly Uint32Array[],
  kExp: number,
): Float32Array {
  if (kExp <= 1) return v
  const rows = rank.length
  const expanded = new Float32Array(rows * rows)
  const sums = new Float64Array(rows)
  rank.forEach((order, i) => {
    const nearest = order.subarray(0, kExp)
    sums.fill(0)
    for (const r of nearest) for (let j = 0; j < rows; j++) sums[j]! += v[r * rows + j]!
    for (let j = 0; j < rows; j++) expanded[i * rows + j] = sums[j]! / nearest.length
  })
  return expanded
}
