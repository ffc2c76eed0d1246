import { randomBytes } from 'node:crypto'
import { createWriteStream, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { KithError } from '@kith/core'
import { readChunks } from './read-chunks.ts'

/**
 * Unpacks a `.gz` file for a reader that needs positions in it, and removes what it has unpacked
 * when that is done; the reader keeps what it has opened. Messages name the packed file.
 */
export async function withUnpacked<T>(
  file: string,
  open: (unpacked: string) => Promise<T>,
): Promise<T> {
  const name = basename(file).replace(/\.gz$/i, '')
  const unpacked = join(tmpdir(), `kith-${randomBytes(6).toString('hex')}-${name}`)
  try {
    await pipeline(readChunks(file), createWriteStream(unpacked))
    return await open(unpacked)
  } catch (error) {
    if (!(error instanceof KithError)) throw error
    const message = error.message.replace(/^kith: /, '').replaceAll(unpacked, file)
    throw new KithError(error.code, message)
  } finally {
    rmSync(unpacked, { force: true })
  }
}

/** A name without the ending of a packed file. */
export function unpackedName(file: string): string {
  return file.replace(/\.gz$/i, '')
}
