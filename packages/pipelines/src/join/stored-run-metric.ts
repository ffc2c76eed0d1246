import type { Settings } from '@kith/core'
import { type OpenEmbeddingsOptions, openEmbeddings } from '@kith/ir'
import { openStore } from '@kith/stores'
import type { Hooks } from '../job/hooks.ts'
import { rankingsIn, runMetric } from './run-metric.ts'
import { type StoreAddress, wholeAddress } from './store-address.ts'

/** A run whose documents are in a store. */
export interface StoredRun extends Pick<OpenEmbeddingsOptions, 'dimensions' | 'memory'> {
  run: string
  queries: string
  store: StoreAddress
}

/** As `runMetric`, with the vectors of documents from a store. */
export async function storedRunMetric(
  metric: Settings['metric'],
  { run, queries: file, store, dimensions, memory }: StoredRun,
  hooks: Hooks,
): Promise<Settings['metric']> {
  const queries = await openEmbeddings(file, { dimensions, memory })
  try {
    const opened = await openStore(wholeAddress(store))
    try {
      // An empty store, or one of other vectors, is an error of the work itself.
      if (opened.dimensions !== queries.dimensions) return metric
      const documents = async (ids: readonly string[]) => {
        const found = await opened.fetch(ids, { texts: false })
        return found.map((document) => document?.vector)
      }
      return await runMetric(metric, { run, rankings: rankingsIn(run), queries, documents }, hooks)
    } finally {
      await opened.close()
    }
  } finally {
    await queries.close()
  }
}
