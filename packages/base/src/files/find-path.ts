import { type Stats, statSync } from 'node:fs'
import { asFileError } from './file-error.ts'

/** What is at a path; undefined where there is nothing, or where a part of the path is a file. */
export function findPath(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw asFileError(path, error)
  }
}
