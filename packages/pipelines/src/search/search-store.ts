import { openEmbeddings, type RankedQuery, writeRun } from '@kith/ir'
import { openStore, type Store } from '@kith/stores'
import { writeSidecar } from '../files/sidecar.ts'
import { type Hooks, stageOf } from '../job/hooks.ts'
import { type StoreAddress, storeName, wholeAddress } from '../join/stores.ts'
import type { SearchPlan, SearchResult } from './search-run.ts'

/** Queries that are searched at a time. */
const BATCH = 64

/** Finds the documents of a store most similar to each query, and writes them as a run. */
export async function searchStore(
  plan: Omit<SearchPlan, 'store'> & { store: StoreAddress },
  hooks: Hooks,
): Promise<SearchResult> {
  const { out, top, metric, exact = false, filter, dimensions, memory } = plan
  const queries = await openEmbeddings(plan.queries, { dimensions, memory })
  let store: Store | undefined
  try {
    store = await openStore(wholeAddress(plan.store))
    const opened = store
    const documents = await opened.count()
    const start = performance.now()
    const onDone = stageOf(hooks, 'searching', queries.rows)
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
        onDone(to)
      }
    }
    await writeRun(out, rankings())
    const seconds = (performance.now() - start) / 1000
    const settings = {
      top,
      metric: metric ?? store.metric,
      exact,
      filter,
      store: storeName(plan.store),
    }
    await writeSidecar(out, 'search', settings, [plan.queries])
    return { out, queries: queries.rows, documents, perQuery: top, seconds }
  } finally {
    await queries.close()
    await store?.close()
  }
}
