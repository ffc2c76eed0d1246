/**
 * Internal: plumbing that Kith's own packages share: whole-file writes, locks, reading. It may change
 * with any version.
 */
export { asFileError, FileError, findPath, lineError } from './files/file-error.ts'
export { InputFile, isPackedFile, isStandardInput, readChunks } from './files/input-file.ts'
export {
  checkLineLength,
  eachLine,
  emptyError,
  firstBadLine,
  isIllFormed,
  LineBlocks,
  type LineVisitor,
  lineEnd,
  mapLines,
  notUtf8,
  readLines,
} from './files/lines.ts'
export { type FileLock, lockFile } from './files/lock-file.ts'
export { isPipeOrDevice, makeFolder } from './files/output-place.ts'
export {
  checkRegular,
  Header,
  isRegular,
  openDescriptor,
  openRegular,
  POSITIONS,
} from './files/regular-file.ts'
export { type AppendPart, resumableFiles, writeResumably } from './files/resumable.ts'
export { TemporaryFile, unpackedName, withUnpacked } from './files/temporary-file.ts'
export { discardUnfinished, finished, unfinishedBeside } from './files/unfinished.ts'
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
export { ownSource, pagePolicy } from './page-policy.ts'
export { version } from './version.ts'
