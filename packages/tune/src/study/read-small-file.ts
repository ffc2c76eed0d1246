import { readFile, stat } from 'node:fs/promises'
import { asFileError, checkRegular, FileError } from '@kith/base'

/** Reads a text file that can only be small; undefined where there is none. */
export async function readSmallFile(file: string, mostBytes: number): Promise<string | undefined> {
  try {
    const { size } = await stat(file)
    checkRegular(file, 'its size must be known')
    if (size <= mostBytes) return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw asFileError(file, error)
  }
  throw new FileError(file, '', `is larger than ${mostBytes} bytes: not what was asked for`)
}
