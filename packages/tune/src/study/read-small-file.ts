import { readFile, stat } from 'node:fs/promises'
import { FileError } from '@kith/ir'
import { checkRegular } from '@kith/ir/internal'

/** Reads a text file that can only be small; undefined where there is none. */
export async function readSmallFile(file: string, mostBytes: number): Promise<string | undefined> {
  try {
    const { size } = await stat(file)
    checkRegular(file, 'its size must be known')
    if (size <= mostBytes) return await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof FileError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new FileError(file, '', message)
  }
  throw new FileError(file, '', `is larger than ${mostBytes} bytes: not what was asked for`)
}
