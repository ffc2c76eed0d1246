import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { findPath } from '@kith/base'
import { FileStore } from './exact/file-store.ts'
import { checkStoreTokenizer, type Store, type StoreOptions } from './store.ts'

/** URLs that LanceDB takes instead of a folder. */
const OBJECT_STORAGE = /^(s3|gs|az|s3\+ddb|abfss?):\/\//

/** Files of embeddings, by their endings; `.gz` may follow. */
const FILE = /\.(npy|safetensors|fvecs|parquet|jsonl|ndjson|memmap)(\.gz)?$/i

/** The kinds of stores. */
export type StoreKind = 'postgres' | 'lancedb' | 'file'

/**
 * Opens a store by its address: `postgres://…` is PostgreSQL, a file of embeddings is a file,
 * everything else a folder or an object storage URL of LanceDB. `#name` after a database
 * or folder selects one of several collections in it. A store that does not exist is an error,
 * unless `create` is set.
 *
 * ```ts
 * await using store = await openStore('postgres://localhost/kith')
 * await store.search(queries, { top: 100 })
 * ```
 */
export async function openStore(address: string, options: StoreOptions = {}): Promise<Store> {
  checkStoreTokenizer(options)
  // Loaded when an address needs one: the packages of the other stores need not be installed.
  switch (storeKind(address)) {
    case 'postgres':
      return (await import('./postgres/postgres-store.ts')).PostgresStore.open(address, options)
    case 'lancedb':
      return (await import('./lance/lance-store.ts')).LanceStore.open(address, options)
    case 'file':
      return FileStore.open(address, options)
  }
}

/** The kind of store that an address names. */
export function storeKind(address: string): StoreKind {
  if (/^postgres(ql)?:\/\//.test(address)) return 'postgres'
  if (OBJECT_STORAGE.test(address)) return 'lancedb'
  const found = findPath(address)
  if (!found) return FILE.test(address) ? 'file' : 'lancedb'
  // A folder of raw memory maps counts as a file of embeddings.
  const isFile = found.isFile() || existsSync(join(address, 'embedding.memmap'))
  return isFile ? 'file' : 'lancedb'
}
