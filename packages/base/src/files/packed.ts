import { readSync } from 'node:fs'
import { FileError } from './file-error.ts'
import { openRegular, POSITIONS } from './regular-file.ts'

/** Bytes that tell a file packed with gzip: two magic bytes, and the method, which is always the same. */
export const MAGIC_LENGTH = 3

/** Whether a name says that its file is packed with gzip. */
export function hasPackedName(file: string): boolean {
  return /\.gz$/i.test(file)
}

/** Whether a file is packed with gzip: its first bytes tell it, whatever its name is. */
export function isPacked(file: string, start: Uint8Array): boolean {
  if (start[0] === 0x1f && start[1] === 0x8b && start[2] === 0x08) return true
  if (!hasPackedName(file)) return false
  throw new FileError(file, '', 'ends in .gz, but is not packed with gzip: damaged, or misnamed')
}

/** The same for a file that is read by position. */
export function isPackedFile(file: string): boolean {
  const start = new Uint8Array(MAGIC_LENGTH)
  openRegular(file, POSITIONS, (descriptor) => readSync(descriptor, start, 0, MAGIC_LENGTH, 0))
  return isPacked(file, start)
}
