/** Stores of documents with their vectors: exact search over files, LanceDB, PostgreSQL. */
export type { StoreKind } from './address.ts'
export type { DocumentSource, MemoryDocuments, StoredDocuments } from './documents.ts'
export {
  type ExactSearchOptions,
  type ExactSearchResult,
  type Metric,
  searchExact,
} from './exact/search-exact.ts'
export { openStore } from './open-store.ts'
export type {
  Store,
  StoreDocument,
  StoreDocuments,
  StoreFetchOptions,
  StoreHits,
  StoreOptions,
  StoreSearchOptions,
} from './store.ts'
