import { KithError } from '@kith/core'
import { type StoreAddress, splitAddress, storeKind } from '@kith/stores/address'
import type { Shard } from '../labels/shares.ts'

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
