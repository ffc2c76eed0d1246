import { basename } from 'node:path'
import { KithError } from '@kith/core'
import { readChunks } from './read-chunks.ts'
import { TemporaryFile } from './temporary-file.ts'

/**
 * Unpacks a `.gz` file for a reader that needs positions in it, and removes what it has unpacked
 * when that is done; the reader keeps what it has opened. Messages name the packed file.
 */
export async function withUnpacked<T>(
  file: string,
  open: (unpacked: string) => Promise<T>,
): Promise<T> {
  const unpacked = new TemporaryFile(basename(unpackedName(file)))
  try {
    for await (const chunk of readChunks(file)) unpacked.append(chunk)
    return await open(unpacked.file).catch((error: unknown) => {
      if (!(error instanceof KithError)) throw error
      const message = error.message.replaceAll(unpacked.file, file)
      throw new KithError(error.code, message)
    })
  } finally {
    await unpacked.close()
  }
}

/** A name without the ending of a packed file. */
export function unpackedName(file: string): string {
  return file.replace(/\.gz$/i, '')
}
