import { KithError, type Settings, type TermStatistics } from '@kith/core'
import { type OpenEmbeddingsOptions, openEmbeddings } from '@kith/ir'
import { openStore } from '@kith/stores'
import { type StoreAddress, storeName, wholeAddress } from '@kith/stores/address'
import { refuseTokenizer } from '@kith/stores/internal'
import type { Hooks } from '../job/hooks.ts'
import { rankingsIn, runMetric } from './run-metric.ts'
import { readStatistics, type StatisticsSource } from './statistics.ts'

/** Throws unless the store has documents whose vectors have this length. */
export async function checkStore(store: StoreAddress, dimensions: number): Promise<void> {
  const opened = await openStore(wholeAddress(store))
  const found = opened.dimensions
  await opened.close()
  if (found !== dimensions) {
    throw new KithError(
      'BAD_SHAPE',
      `${storeName(store)}: documents have ${found} dimensions, but queries have ${dimensions}; use embeddings of one model`,
    )
  }
}

/**
 * Reads the statistics of a store, or of a file if one is named. Throws if the tokenizer of the
 * settings differs from the store's.
 */
export async function storeStatistics(
  source: StatisticsSource,
  store: StoreAddress,
  settings: Settings,
): Promise<TermStatistics | undefined> {
  if (source !== 'corpus') return readStatistics(source, settings)
  const statistics = await keptTerms(store)
  if (statistics) refuseTokenizer(statistics, settings.tokenizer)
  return statistics
}

/** Reads the term statistics of a store. */
export async function keptTerms(store: StoreAddress): Promise<TermStatistics | undefined> {
  const opened = await openStore(wholeAddress(store))
  try {
    return await opened.terms()
  } finally {
    await opened.close()
  }
}

/** A run whose documents are in a store. */
interface StoredRun extends Pick<OpenEmbeddingsOptions, 'dimensions' | 'memory'> {
  run: string
  queries: string
  store: StoreAddress
}

/** Returns the metric of a run like `runMetric`, with the vectors of documents from a store. */
export async function storedRunMetric(
  metric: Settings['metric'],
  { run, queries: file, store, dimensions, memory }: StoredRun,
  hooks: Hooks,
): Promise<Settings['metric']> {
  const queries = await openEmbeddings(file, { dimensions, memory })
  try {
    const opened = await openStore(wholeAddress(store))
    try {
      // An empty store, or a store with other vectors, makes the job itself fail later.
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
