import { type OpenEmbeddingsOptions, openEmbeddings, type RankedQuery, writeRun } from '@kith/ir'
import { type StoreAddress, storeName, writeSidecar } from '@kith/pipelines/internal'
import { type Metric, openStore, type Store } from '@kith/stores'
import type { Output } from '../terminal/output.ts'

/** Queries that are asked at a time. */
const BATCH = 64

/** A store to search, and where the run goes. */
export interface StoreSearch extends OpenEmbeddingsOptions {
  queries: string
  store: StoreAddress
  out: string
  top: number
  metric: Metric | undefined
  exact: boolean
  filter: string | undefined
}

/** Asks a store for the documents most similar to each query, and writes them as a run. */
export async function searchStore(
  { queries: queriesFile, store: place, out, top, metric, exact, filter, ...options }: StoreSearch,
  output: Output,
): Promise<{ queries: number; documents: number; seconds: number }> {
  const queries = await openEmbeddings(queriesFile, options)
  let store: Store | undefined
  try {
    const { address, collection } = place
    store = await openStore(collection === undefined ? address : `${address}#${collection}`)
    const opened = store
    const documents = await opened.count()
    const start = performance.now()
    const progress = output.progress('searching', queries.rows)
    const rankings = async function* (): AsyncGenerator<RankedQuery> {
      for (let from = 0; from < queries.rows; from += BATCH) {
        const to = Math.min(from + BATCH, queries.rows)
        const matrix = {
          data: queries.read(from, to),
          rows: to - from,
          dimensions: queries.dimensions,
        }
        const hits = await opened.search(matrix, { top, metric, exact, filter, vectors: false })
        for (const [q, { ids, scores }] of hits.entries()) {
          yield { query: queries.idOf(from + q), ids, scores }
        }
        progress.update(to)
      }
    }
    await writeRun(out, rankings()).finally(() => progress.end())
    const seconds = (performance.now() - start) / 1000
    const settings = { top, metric, exact, filter, store: storeName(place) }
    await writeSidecar(out, 'search', settings, [queriesFile])
    return { queries: queries.rows, documents, seconds }
  } finally {
    queries.close()
    await store?.close()
  }
}
