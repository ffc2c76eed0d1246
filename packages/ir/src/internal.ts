/**
 * Internal: plumbing that Kith's own packages share. It may change with any version; programs use
 * the package's main entry.
 */
export { embeddingFiles } from './embeddings/embedding-files.ts'
export { halfTable, toHalves } from './embeddings/half.ts'
export { embeddingMemory } from './embeddings/open-embeddings.ts'
export { asFileError } from './io/file-error.ts'
export { isStandardInput } from './io/input-file.ts'
export { readLines } from './io/lines.ts'
export { type FileLock, lockFile } from './io/lock-file.ts'
export { isPipeOrDevice } from './io/output-place.ts'
export { readChunks } from './io/read-chunks.ts'
export { checkRegular } from './io/regular-file.ts'
export { resumableFiles } from './io/resumable.ts'
export { discardUnfinished } from './io/unfinished.ts'
export { appendAll, writeAllSync } from './io/write-all.ts'
export { putInPlace } from './io/write-atomic.ts'
export { optionalPackage } from './optional-package.ts'
export { tQuantile } from './stats/t-distribution.ts'
