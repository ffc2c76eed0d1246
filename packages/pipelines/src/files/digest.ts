import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { FileError } from '@kith/base'

/** A file's contents, told from all others. */
export interface Digest {
  bytes: number
  sha256: string
}

/** Reads a file for its digest. */
export async function digestOf(file: string): Promise<Digest> {
  const hash = createHash('sha256')
  let bytes = 0
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) {
      hash.update(chunk as Buffer)
      bytes += (chunk as Buffer).length
    }
  } catch (error) {
    throw new FileError(file, '', `cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
  return { bytes, sha256: hash.digest('hex') }
}
