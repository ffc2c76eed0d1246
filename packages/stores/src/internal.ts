/**
 * Internal: documents to search with their texts, words and term statistics, which the server and
 * the collections of `@kith/pipelines` share. These exports may change in any version; use the
 * package's main entry in programs.
 */

export { loadLanguages } from '@kith/languages/load'
export {
  backgroundBeside,
  backgroundFile,
  measureBackground,
  modelOf,
  readBackground,
} from './search/background.ts'
export { fittingBackground } from './search/fitting-background.ts'
export {
  type FetchedDocument,
  openSearchStore,
  refuseTokenizer,
  type SearchStore,
  type SearchStoreOptions,
  withStatistics,
} from './search/search-store.ts'
export { WordIndex, type WordsPlace, withWords } from './search/word-index.ts'
export { wholeText } from './whole-text.ts'
