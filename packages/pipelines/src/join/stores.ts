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
  /**
   * A store to use instead: `postgres://…`, or a LanceDB folder or URL; `#name` names a collection.
   */
  store?: string | undefined
}

/** Returns the source of documents; throws unless the inputs name exactly one. */
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

/** Returns the store of submitted work; throws for a shard, since workers divide the work. */
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

/** Throws if a corpus is given together with a store. */
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

/** Splits an address such as `postgres://host/database#passages`. */
export function splitAddress(store: string): StoreAddress {
  const [, address, collection] = /^(.*?)(?:#(.*))?$/.exec(store)!
  return { address: address!, collection }
}

/** Joins an address and its collection, for `openStore`. */
export function wholeAddress({ address, collection }: StoreAddress): string {
  return collection === undefined ? address : `${address}#${collection}`
}

/**
 * Formats the address with its collection, without user and password, for messages and sidecars.
 */
export function storeName(store: StoreAddress): string {
  return wholeAddress(store)
    .replace(/\/\/[^/@]*@/, '//')
    .replace(/\?[^#]*/, '')
}

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
