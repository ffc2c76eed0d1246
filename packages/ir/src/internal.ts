/**
 * Internal: plumbing that Kith's own packages share. It may change with any version; programs use
 * the package's main entry.
 */
export { embeddingFiles } from './embeddings/embedding-files.ts'
export {
  type EmbeddingIds,
  type SharedRowIds,
  sharedRowIds,
} from './embeddings/embedding-ids.ts'
export { halfTable, toHalves } from './embeddings/half.ts'
export { embeddingMemory } from './embeddings/open-embeddings.ts'
export { checkFinite } from './embeddings/raw-rows.ts'
export { asFileError } from './io/file-error.ts'
export { findPath } from './io/find-path.ts'
export type { IdList } from './io/id-list.ts'
export { isStandardInput } from './io/input-file.ts'
export { readLines } from './io/lines.ts'
export { type FileLock, lockFile } from './io/lock-file.ts'
export { makeFolder } from './io/make-folder.ts'
export { isPipeOrDevice } from './io/output-place.ts'
export { readChunks } from './io/read-chunks.ts'
export { checkRegular } from './io/regular-file.ts'
export { resumableFiles } from './io/resumable.ts'
export { TemporaryFile } from './io/temporary-file.ts'
export { discardUnfinished } from './io/unfinished.ts'
export { withUnpacked } from './io/unpacked.ts'
export { appendAll, writeAllSync } from './io/write-all.ts'
export { putInPlace } from './io/write-atomic.ts'
export { Evaluator } from './measures/evaluate.ts'
export { optionalPackage } from './optional-package.ts'
export { type SharedQrels, sharedQrels, shareQrels } from './qrels/shared-qrels.ts'
export { type ListedRanking, type RankingForm, RankingLines } from './runs/ranking-lines.ts'
export type { RunParts } from './runs/run.ts'
export { formatByName, writeRunParts } from './runs/run-files.ts'
export {
  parseSlice,
  type RunSlice,
  readSlices,
  type SharedRankings,
  type SlicedRun,
  sharedRankings,
  shareRankings,
  sliceRun,
} from './runs/run-slices.ts'
export { tQuantile } from './stats/t-distribution.ts'
export { type SharedTexts, shareTexts, textAt } from './terms/shared-texts.ts'
export { type SharedTextStore, TextReader } from './texts/text-store.ts'
