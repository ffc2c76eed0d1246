/** Searches the documents for every query and writes a run. */
export { type SearchInputs, type SearchResult, searchRun } from './search-run.ts'
