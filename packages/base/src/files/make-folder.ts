import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { asFileError } from './file-error.ts'
import { findPath } from './find-path.ts'

/**
 * Makes a folder with the folders above it, one by one: Node's recursive `mkdir` says of a disk that
 * cannot be written that there is no such file.
 *
 * @param output The name that an error gives; default: the folder's.
 */
export function makeFolder(folder: string, output = folder): void {
  try {
    make(folder)
  } catch (error) {
    throw asFileError(output, error)
  }
}

function make(folder: string): void {
  const found = findPath(folder)
  if (found?.isDirectory()) return
  // A file in its place is an error of `mkdir`, not a reason to go further up.
  if (!found) make(dirname(folder))
  try {
    mkdirSync(folder)
  } catch (error) {
    // Another program has made it in the meantime.
    if (!findPath(folder)?.isDirectory()) throw error
  }
}
