import { KithError } from '@kith/core'
import { storeKind } from '@kith/stores/internal'
import { type StoreAddress, splitAddress } from './store-address.ts'

/** Where the embeddings of documents are: in a file, or in a store. */
export interface DocumentPlace {
  /** A file of embeddings. */
  docs?: string | undefined
  /** A store instead: `postgres://…`, or a LanceDB folder or URL; `#name` names a collection. */
  store?: string | undefined
}

/** A place of documents, told apart. */
export function placeOf({
  docs,
  store,
}: DocumentPlace): { docs: string } | { store: StoreAddress } {
  if ((docs === undefined) === (store === undefined)) {
    throw new KithError('BAD_INPUT', 'documents come from docs (a file) or from a store: give one')
  }
  if (docs !== undefined) return { docs }
  return storeKind(store!) === 'file' ? { docs: store! } : { store: splitAddress(store!) }
}
