import { list, number, object, positive, type Shape } from '../data/shape.ts'

/** How the values of many queries at one rank are spread. */
export interface RankQuantiles {
  /** From 1. */
  rank: number
  /** The 5th, 25th, 50th, 75th and 95th of a hundred. */
  low: number
  lower: number
  median: number
  upper: number
  high: number
}

/** The form of quantiles in a file. */
export const quantilesShape: Shape = list(
  object({
    rank: positive,
    low: number,
    lower: number,
    median: number,
    upper: number,
    high: number,
  }),
)

/** How far `quantilesPerRank` goes. */
export interface QuantilesOptions {
  /** At most so many ranks. */
  ranks?: number | undefined
  /** The value of a list beyond its end, such as probability 0. */
  missing?: number | undefined
}

/**
 * The spread at each rank of lists that are sorted, best first. Without a value for lists
 * beyond their ends, ranks that fewer than half of the lists have are left out: they would show
 * other queries than the ranks before.
 */
export function quantilesPerRank(
  lists: readonly ArrayLike<number>[],
  { ranks = Infinity, missing }: QuantilesOptions = {},
): RankQuantiles[] {
  const found: RankQuantiles[] = []
  for (let i = 0; i < ranks; i++) {
    const there = lists.filter(({ length }) => i < length)
    if (there.length === 0) break
    if (missing === undefined && there.length * 2 < lists.length) break
    const values = (missing === undefined ? there : lists).map((list) => list[i] ?? missing!)
    const sorted = Float64Array.from(values).sort()
    found.push({
      rank: i + 1,
      low: quantile(sorted, 0.05),
      lower: quantile(sorted, 0.25),
      median: quantile(sorted, 0.5),
      upper: quantile(sorted, 0.75),
      high: quantile(sorted, 0.95),
    })
  }
  return found
}

/** Between two values in proportion, as most programs have it. */
function quantile(sorted: Float64Array, share: number): number {
  const at = (sorted.length - 1) * share
  const below = sorted[Math.floor(at)]!
  return below + (sorted[Math.ceil(at)]! - below) * (at - Math.floor(at))
}
