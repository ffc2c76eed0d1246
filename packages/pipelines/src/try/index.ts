/** Compares search and reranking on a dataset. */
export type { TriedAdapter } from './adapted-run.ts'
export type { Changes, QueryChange } from './changes.ts'
export { type TryInputs, type TryResult, tryDataset } from './try-dataset.ts'
export type { TriedSystem, Verdict as TryVerdict } from './verdict.ts'
