/**
 * Internal: plumbing that Kith's own packages share: whole-file writes, locks, reading. It may change
 * with any version.
 */
export { asFileError, FileError, lineError } from './files/file-error.ts'
export { findPath } from './files/find-path.ts'
export { Header } from './files/header.ts'
export { InputFile, isStandardInput } from './files/input-file.ts'
export {
  eachLine,
  emptyError,
  LineSplitter,
  type LineVisitor,
  mapLines,
  readLines,
} from './files/lines.ts'
export { type FileLock, lockFile } from './files/lock-file.ts'
export { makeFolder } from './files/make-folder.ts'
export { isPipeOrDevice } from './files/output-place.ts'
export { isPackedFile } from './files/packed.ts'
export { readChunks } from './files/read-chunks.ts'
export { checkRegular, isRegular, openDescriptor, POSITIONS } from './files/regular-file.ts'
export { type AppendPart, resumableFiles, writeResumably } from './files/resumable.ts'
export { TemporaryFile } from './files/temporary-file.ts'
export { discardUnfinished, finished, unfinishedBeside } from './files/unfinished.ts'
export { unpackedName, withUnpacked } from './files/unpacked.ts'
export { firstBadLine, isIllFormed, notUtf8 } from './files/utf8.ts'
export { appendAll, readAllSync, writeAllSync } from './files/write-all.ts'
export {
  type PreparedFile,
  prepareAtomic,
  prepareHeaded,
  putInPlace,
  type Write,
  writeAtomic,
} from './files/write-atomic.ts'
export { optionalPackage } from './optional-package.ts'
