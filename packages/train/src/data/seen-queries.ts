import { Batches } from './batches.ts'

/** The queries that a training encodes: all, or those of its first batches where it ends before it has seen all. */
export function seenQueries<Q>(
  queries: readonly Q[],
  settings: {
    steps: number
    batchSize: number
    gradientAccumulation: number
    refreshEvery: number
    negativesBelow: number | null
    seed: number
  },
): readonly Q[] {
  const { steps, batchSize, gradientAccumulation, seed } = settings
  const count = steps * gradientAccumulation
  // A search for new candidates, and scores that choose negatives, encode all.
  const all = settings.refreshEvery > 0 || settings.negativesBelow !== null
  if (all || count * batchSize >= queries.length) return queries
  const batches = new Batches(queries.length, batchSize, seed)
  return Array.from({ length: count }, (_, batch) => batches.at(batch))
    .flat()
    .map((index) => queries[index]!)
}
