import { storeKind } from './address.ts'
import { FileStore } from './exact/file-store.ts'
import { checkStoreTokenizer, type Store, type StoreOptions } from './store.ts'

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
