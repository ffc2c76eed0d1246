/**
 * Internal: the addresses of stores, for jobs that ask whether documents are in a store before they
 * load the stores. It may change with any version.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { findPath } from '@kith/base'

/** URLs of object storage, which LanceDB accepts instead of a folder. */
const OBJECT_STORAGE = /^(s3|gs|az|s3\+ddb|abfss?):\/\//

/** File name endings of embeddings; `.gz` may follow. */
const FILE = /\.(npy|safetensors|fvecs|parquet|jsonl|ndjson|memmap)(\.gz)?$/i

/** The kinds of stores. */
export type StoreKind = 'postgres' | 'lancedb' | 'file'

/** Returns the kind of store that an address names. */
export function storeKind(address: string): StoreKind {
  if (/^postgres(ql)?:\/\//.test(address)) return 'postgres'
  if (OBJECT_STORAGE.test(address)) return 'lancedb'
  const found = findPath(address)
  if (!found) return FILE.test(address) ? 'file' : 'lancedb'
  // A folder of raw memory maps counts as a file of embeddings.
  const isFile = found.isFile() || existsSync(join(address, 'embedding.memmap'))
  return isFile ? 'file' : 'lancedb'
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
