import { seededFraction } from '@kith/base/random'

/** The splits, the first one being the one to which the others yield. */
export const splits = ['test', 'dev', 'train'] as const

/** A part of the queries. */
export type Split = (typeof splits)[number]

/**
 * The shares of the regions; the other regions are train. Half of the regions make a test set on which small
 * differences show; dev and train lose a quarter of their queries, which share documents with the
 * splits before them.
 */
const TEST = 0.5
const DEV = 0.15

/** The split of a region. */
export function splitOf(region: string, seed: number): Split {
  const fraction = seededFraction(seed, region)
  if (fraction < TEST) return 'test'
  return fraction < TEST + DEV ? 'dev' : 'train'
}

/** Leaves out queries that share a relevant document with a query of a split they yield to. */
export function withoutShared<Query extends { split: Split; relevant: readonly string[] }>(
  queries: readonly Query[],
): Query[] {
  const owners = new Map<string, Split>()
  const kept = new Set<Query>()
  for (const split of splits) {
    for (const query of queries) {
      if (query.split !== split) continue
      if (query.relevant.some((id) => (owners.get(id) ?? split) !== split)) continue
      kept.add(query)
      for (const id of query.relevant) owners.set(id, split)
    }
  }
  return queries.filter((query) => kept.has(query))
}
