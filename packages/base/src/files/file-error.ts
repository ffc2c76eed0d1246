import { type Stats, statSync } from 'node:fs'
import { KithError } from '@kith/core'

/** A file with wrong contents: the message names the file and the place, such as `run.trec:12`. */
export class FileError extends KithError {
  constructor(
    readonly file: string,
    /**
     * The position in the file, such as `line 12` or `row 3 column 7`; empty for the whole file.
     */
    readonly place: string,
    problem: string,
  ) {
    const where = place === '' ? '' : ` ${place}`.replace(/^ line (?=\d)/, ':')
    super('BAD_FILE', `${file}${where}: ${problem}`)
  }
}

/** An error in one line of a file, the first line being 1. */
export function lineError(file: string, line: number, problem: string): FileError {
  return new FileError(file, `line ${line}`, problem)
}

/** An error of the operating system or of a library, as one that names the file. */
export function asFileError(file: string, error: unknown): KithError {
  if (error instanceof KithError) return error
  const { code, message } = error as NodeJS.ErrnoException
  const problem = (code && problems[code]) ?? message ?? String(error)
  const wrapped = new FileError(file, '', problem)
  wrapped.cause = error
  return wrapped
}

const problems: Record<string, string> = {
  ENOENT: 'there is no such file',
  EISDIR: 'is a folder, not a file',
  EACCES: 'permission denied',
  EEXIST: 'a part of its path is a file, not a folder',
  ENOTDIR: 'a part of its path is a file, not a folder',
  ENOSPC: 'there is no space left on the disk',
  EDQUOT: 'the disk quota of this user is used up',
  EFBIG: 'the file is too large for the disk or for the limit of this user (ulimit -f)',
  EIO: 'the disk failed to read or write the file',
  EROFS: 'its disk is read-only',
  EPIPE: 'the program that reads from this pipe has ended',
  ELOOP: 'the symbolic links form a circle',
  ENXIO: 'is a socket or a device that cannot be opened',
}

/** The status of a path; undefined if the path does not exist, or if a part of it is a file. */
export function findPath(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw asFileError(path, error)
  }
}
