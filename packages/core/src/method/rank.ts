/** Section 2: rank[i], the k + 1 rows with the highest S[i, ·], best first, ties by the lower row. */
export function rankRows(s: Float32Array, rows: number, k: number): Uint32Array[] {
  return Array.from({ length: rows }, (_, i) => {
    const row = s.subarray(i * rows, (i + 1) * rows)
    const order = Uint32Array.from({ length: rows }, (_, j) => j)
    return order.sort((a, b) => row[b]! - row[a]! || a - b).slice(0, k + 1)
  })
}
