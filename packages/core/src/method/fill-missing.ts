/**
 * Section 4, candidates without a vector: such a row is as similar to every member of the context
 * as the candidates with vectors are on the average, itself aside; so its standardized similarity
 * is 0. `s` holds cosines in rows of `stride`; without any vectors they stay 0.
 */
export function fillMissing(
  s: Float32Array,
  rows: number,
  stride: number,
  missing: readonly number[],
): void {
  if (missing.length === 0) return
  const lacks = new Set(missing)
  const present = Array.from({ length: rows - 1 }, (_, i) => i + 1).filter((row) => !lacks.has(row))
  const means = new Float64Array(rows)
  for (let j = 0; j < rows; j++) {
    if (lacks.has(j)) continue
    let count = 0
    for (const i of present) {
      if (i === j) continue
      means[j]! += s[i * stride + j]!
      count++
    }
    means[j]! /= Math.max(1, count)
  }
  let overall = 0
  for (const i of present) overall += means[i]!
  overall /= Math.max(1, present.length)
  for (const i of missing) {
    for (let j = 0; j < rows; j++) {
      if (i === j) continue
      const mean = lacks.has(j) ? overall : means[j]!
      s[i * stride + j] = mean
      s[j * stride + i] = mean
    }
  }
}
