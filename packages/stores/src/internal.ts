/**
 * Internal: documents to search with their texts, words and term statistics, which the server and
 * the collections of `@kith/pipelines` share. It may change with any version; programs use the
 * package's main entry.
 */
export { openSearchStore, type SearchStoreOptions } from './search/open-search-store.ts'
export { type FetchedDocument, type SearchStore, wholeText } from './search/search-store.ts'
export { withStatistics } from './search/with-statistics.ts'
export { withWords } from './search/with-words.ts'
export { WordIndex } from './search/word-index.ts'
