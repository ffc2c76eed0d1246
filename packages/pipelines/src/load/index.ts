/** Loads embeddings and texts into a store. */
export { type LoadInputs, type LoadResult, loadStore } from './load-store.ts'
