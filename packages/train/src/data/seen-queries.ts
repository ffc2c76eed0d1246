import { Batches } from './batches.ts'

/** The queries that a training encodes: all, or those of its first batches where it ends before it has seen all. */
export function seenQueries<Q>(
  queries: readonly Q[],
  settings: {
    steps: number
    batchSize: number
    gradientAccumulation: number
    refreshEvery: number
    seed: number
  },
): readonly Q[] {
  const { steps, batchSize, gradientAccumulation, refreshEvery, seed } = settings
  const count = steps * gradientAccumulation
  // A search for new candidates encodes all.
  if (refreshEvery > 0 || count * batchSize >= queries.length) return queries
  const batches = new Batches(queries.length, batchSize, seed)
  return Array.from({ length: count }, (_, batch) => batches.at(batch))
    .flat()
    .map((index) => queries[index]!)
}
