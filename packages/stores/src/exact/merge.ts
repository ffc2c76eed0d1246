import type { Best } from './scanner.ts'

/**
 * The best of several scanners' documents for a batch of queries, best first, ties
 * by the lower row: `top` documents per query. Returns the queries for which the scanners
 * have fewer together; these get none.
 */
export function merge(
  found: Best[],
  top: number,
  rows: Uint32Array,
  scores: Float32Array,
): number[] {
  const queries = found[0]!.counts.length
  const short: number[] = []
  for (let q = 0; q < queries; q++) {
    if (found.reduce((sum, { counts }) => sum + counts[q]!, 0) < top) {
      short.push(q)
      continue
    }
    const heads = found.map(() => q * top)
    const ends = found.map(({ counts }) => q * top + counts[q]!)
    for (let i = 0; i < top; i++) {
      let best = -1
      for (let scanner = 0; scanner < found.length; scanner++) {
        if (heads[scanner]! < ends[scanner]! && (best < 0 || before(found, heads, scanner, best))) {
          best = scanner
        }
      }
      const from = heads[best]!++
      rows[q * top + i] = found[best]!.rows[from]!
      scores[q * top + i] = found[best]!.scores[from]!
    }
  }
  return short
}

function before(found: Best[], heads: number[], a: number, b: number): boolean {
  const scoreA = found[a]!.scores[heads[a]!]!
  const scoreB = found[b]!.scores[heads[b]!]!
  if (scoreA !== scoreB) return scoreA > scoreB
  return found[a]!.rows[heads[a]!]! < found[b]!.rows[heads[b]!]!
}
