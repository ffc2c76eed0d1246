import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { asFileError } from './file-error.ts'

/** Bytes per chunk: large enough to make the cost of each one vanish. */
const CHUNK = 1 << 20

/** Reads a file in chunks, unpacked when its name ends in `.gz`, without a byte order mark. */
export async function* readChunks(file: string): AsyncGenerator<Buffer> {
  const source = createReadStream(file, { highWaterMark: CHUNK })
  let stream: AsyncIterable<Buffer> = source
  if (file.endsWith('.gz')) {
    const unpacked = createGunzip({ chunkSize: CHUNK })
    source.on('error', (error) => unpacked.destroy(error))
    stream = source.pipe(unpacked)
  }
  let first = true
  try {
    for await (const chunk of stream) {
      yield first ? withoutMark(chunk) : chunk
      first = false
    }
  } catch (error) {
    throw asFileError(file, error)
  } finally {
    source.destroy()
  }
}

/** The first bytes of a file, unpacked, for telling its format. */
export async function peek(file: string): Promise<Buffer> {
  for await (const chunk of readChunks(file)) return chunk
  return Buffer.alloc(0)
}

function withoutMark(chunk: Buffer): Buffer {
  const marked = chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf
  return marked ? chunk.subarray(3) : chunk
}
