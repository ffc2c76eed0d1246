/** Where candidates with their vectors come from: exact search over vectors in memory or files. */
export type { DocumentSource, MemoryDocuments, StoredDocuments } from './documents.ts'
export { type Metric, type SearchOptions, type SearchResult, searchExact } from './search-exact.ts'
