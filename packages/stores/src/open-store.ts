import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { findPath } from '@kith/base'
import { FileStore } from './exact/file-store.ts'
import { checkStoreTokenizer, type Store, type StoreOptions } from './store.ts'

/** URLs of object storage, which LanceDB accepts instead of a folder. */
const OBJECT_STORAGE = /^(s3|gs|az|s3\+ddb|abfss?):\/\//

/** File name endings of embeddings; `.gz` may follow. */
const FILE = /\.(npy|safetensors|fvecs|parquet|jsonl|ndjson|memmap)(\.gz)?$/i

/** The kinds of stores. */
export type StoreKind = 'postgres' | 'lancedb' | 'file'

/**
 * Opens a store by its address: `postgres://…` opens PostgreSQL, a file of embeddings opens that
 * file, and any other address opens a LanceDB folder or object storage URL. `#name` after a
 * database or folder selects one of its collections. Throws if the store does not exist, unless
 * `create` is set.
 *
 * ```ts
 * await using store = await openStore('postgres://localhost/kith')
 * await store.search(queries, { top: 100 })
 * ```
 */
export async function openStore(address: string, options: StoreOptions = {}): Promise<Store> {
  checkStoreTokenizer(options)
  // Imported on demand: users need to install only the packages of the stores they use.
  switch (storeKind(address)) {
    case 'postgres':
      return (await import('./postgres/postgres-store.ts')).PostgresStore.open(address, options)
    case 'lancedb':
      return (await import('./lance/lance-store.ts')).LanceStore.open(address, options)
    case 'file':
      return FileStore.open(address, options)
  }
}

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
