import type { RankedQuery, Run } from '@kith/ir'
import type { MissingPolicy } from '../join/missing.ts'
import type { BatchItem } from './batch-item.ts'

/** The old ranking of an item. */
export function rankingOf({ query, ids, scores = new Float64Array(0) }: BatchItem): RankedQuery {
  return { query, ids, scores }
}

/** The queries of a batch as a run. */
export function runOf(
  items: readonly BatchItem[],
): Iterable<RankedQuery> & Pick<Run, 'has' | 'get'> {
  const rankings = new Map(items.map((item) => [item.query, rankingOf(item)]))
  return {
    has: (id) => rankings.has(id),
    get: (id) => rankings.get(id),
    [Symbol.iterator]: () => rankings.values(),
  }
}

/** The candidates that are looked at; where some may be skipped, later ones move up. */
export function* neededIds(
  items: readonly BatchItem[],
  lookedAt: number,
  missing: MissingPolicy,
): Generator<string> {
  for (const { ids } of items) yield* missing === 'skip' ? ids : ids.slice(0, lookedAt)
}
