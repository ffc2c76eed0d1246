import { KithError, type Settings, type TermStatistics } from '@kith/core'
import { type OpenEmbeddingsOptions, openEmbeddings } from '@kith/ir'
import { openStore } from '@kith/stores'
import { refuseTokenizer, storeKind } from '@kith/stores/internal'
import type { Hooks } from '../job/hooks.ts'
import type { Shard } from '../labels/shares.ts'
import { rankingsIn, runMetric } from './run-metric.ts'
import { readStatistics, type StatisticsSource } from './statistics.ts'

/** The source of document embeddings: a file, or a store. */
export interface DocumentPlace {
  /** A file of embeddings. */
  docs?: string | undefined
  /** A store instead: `postgres://…`, or a LanceDB folder or URL; `#name` names a collection. */
  store?: string | undefined
}

/** The identity of a source of documents. */
export function placeOf({
  docs,
  store,
}: DocumentPlace): { docs: string } | { store: StoreAddress } {
  if ((docs === undefined) === (store === undefined)) {
    throw new KithError('BAD_INPUT', 'exactly one of docs (a file) and store is required')
  }
  if (docs !== undefined) return { docs }
  return storeKind(store!) === 'file' ? { docs: store! } : { store: splitAddress(store!) }
}

/** The store of work that is submitted, whole: workers divide it. */
export function submittedStore({
  shard,
  ...place
}: DocumentPlace & { shard?: Shard | undefined }): StoreAddress {
  const found = placeOf(place)
  if (!('store' in found)) {
    throw new KithError('BAD_INPUT', 'only work on a store can be submitted; pass store')
  }
  if (shard === undefined || shard.count === 1) return found.store
  throw new KithError(
    'BAD_SETTING',
    'shard cannot be combined with a submission, which divides the work itself; leave out shard',
  )
}

/** Refuses texts beside a store. */
export function refuseCorpus(corpus: string | undefined): void {
  if (corpus === undefined) return
  throw new KithError(
    'BAD_INPUT',
    'corpus cannot be combined with store, which contains the texts; leave out corpus',
  )
}

/** The address of a store, and the name of its collection. */
export interface StoreAddress {
  address: string
  collection: string | undefined
}

/** An address as a person writes it, such as `postgres://host/database#passages`. */
export function splitAddress(store: string): StoreAddress {
  const [, address, collection] = /^(.*?)(?:#(.*))?$/.exec(store)!
  return { address: address!, collection }
}

/** The address with its collection, as `openStore` takes it. */
export function wholeAddress({ address, collection }: StoreAddress): string {
  return collection === undefined ? address : `${address}#${collection}`
}

/** The address with its collection, without user and password: for messages and sidecars. */
export function storeName(store: StoreAddress): string {
  return wholeAddress(store)
    .replace(/\/\/[^/@]*@/, '//')
    .replace(/\?[^#]*/, '')
}

/** Throws unless the store has documents that queries of this length can be compared with. */
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
 * The statistics of a store, or of a file, if one is named. Settings with another
 * tokenizer than the store's are refused.
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

/** The term statistics that a store keeps. */
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

/** Like `runMetric`, with the vectors of documents from a store. */
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
