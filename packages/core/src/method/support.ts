import type { Engine } from '../kernel/engine.ts'
import { ROUNDING, standardise } from './mix.ts'

/**
 * Section 4, the support: F, the `count` candidates with the highest g, ties by the lower row, and
 * p, how similar each candidate is in the graph to those of them that are not itself, standardised.
 */
export function supportOf(
  engine: Engine,
  relevance: Float64Array,
  count: number,
): { supporters: number[]; support: Float64Array } {
  const candidates = Array.from({ length: relevance.length - 1 }, (_, i) => i + 1)
  candidates.sort((a, b) => relevance[b]! - relevance[a]! || a - b)
  const supporters = candidates.slice(0, count)
  const sums = new Float64Array(relevance.length)
  for (const row of supporters) {
    const similarities = engine.graphRow(row)
    for (let c = 1; c < sums.length; c++) if (c !== row) sums[c]! += similarities[c]!
  }
  const means = sums.map((sum, c) => sum / (supporters.length - Number(supporters.includes(c))))
  // The only supporter has none of its own: it is neither helped nor harmed.
  const left = supporters.length === 1 ? supporters : []
  const support = standardise(means, [0, ...left], ROUNDING)
  for (const row of left) support[row] = 0
  return { supporters, support: supporters.length === 0 ? support.fill(0) : support }
}
