import type { Engine } from '../kernel/engine.ts'
import { ROUNDING, standardize } from './mix.ts'

/**
 * Section 4, the support: F, the `count` candidates with the highest g, ties by the lower row, and
 * p, how similar each candidate is in the graph to those of them that are not itself, standardized.
 */
export function supportOf(
  engine: Engine,
  relevance: Float64Array,
  count: number,
): { supporters: number[]; support: Float64Array } {
  const supporters = highest(relevance, count)
  const sums = new Float64Array(relevance.length)
  for (const row of supporters) {
    const similarities = engine.graphRow(row)
    for (let c = 1; c < sums.length; c++) if (c !== row) sums[c]! += similarities[c]!
  }
  const means = new Float64Array(sums.length)
  for (let c = 1; c < sums.length; c++) {
    means[c] = sums[c]! / (supporters.length - Number(supporters.includes(c)))
  }
  // The only supporter has none of its own: it is neither helped nor harmed.
  const left = supporters.length === 1 ? supporters : []
  const support = standardize(means, [0, ...left], ROUNDING)
  for (const row of left) support[row] = 0
  return { supporters, support: supporters.length === 0 ? support.fill(0) : support }
}

/** The rows of the highest values, best first, ties by the lower row. */
function highest(values: Float64Array, count: number): number[] {
  const rows: number[] = []
  for (let row = 1; row < values.length; row++) {
    let place = rows.length
    while (place > 0 && values[rows[place - 1]!]! < values[row]!) place--
    if (place === count) continue
    rows.splice(place, 0, row)
    if (rows.length > count) rows.pop()
  }
  return rows
}
