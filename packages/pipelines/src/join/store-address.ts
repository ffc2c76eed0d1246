import { KithError } from '@kith/core'
import { openStore } from '@kith/stores'

/** The address of a store, and the collection in it that is meant. */
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
      `${storeName(store)}: its documents have ${found} dimensions, the queries ${dimensions}`,
    )
  }
}
