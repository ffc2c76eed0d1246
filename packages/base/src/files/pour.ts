import { once } from 'node:events'
import { createGzip } from 'node:zlib'
import { writeAll } from './write-all.ts'

/** Short texts are put together up to this length: a system call for each would cost more than it. */
const TEXT_BLOCK = 1 << 18

/** Appends text or bytes to a file; the promise keeps the writer from outrunning the disk. */
export type Write = (part: string | Uint8Array) => Promise<void>

/** An open file that is written from where its descriptor stands. */
export interface Sink {
  descriptor: number
  /** Its name for messages. */
  file: string
  packed: boolean
}

/** Lets a function write into an open file, packed where that is wanted. */
export async function pour<T>(
  { descriptor, file, packed }: Sink,
  body: (write: Write) => Promise<T>,
): Promise<T> {
  const append = (bytes: Uint8Array): Promise<void> => writeAll(descriptor, bytes, null, file)
  return packed ? pourPacked(append, body) : pourPlain(append, body)
}

async function pourPlain<T>(
  append: (bytes: Uint8Array) => Promise<void>,
  body: (write: Write) => Promise<T>,
): Promise<T> {
  let text = ''
  const flush = async (): Promise<void> => {
    const before = text
    text = ''
    if (before !== '') await append(Buffer.from(before))
  }
  const result = await body(async (part) => {
    if (typeof part === 'string') {
      text += part
      if (text.length >= TEXT_BLOCK) await flush()
    } else {
      await flush()
      await append(part)
    }
  })
  await flush()
  return result
}

async function pourPacked<T>(
  append: (bytes: Uint8Array) => Promise<void>,
  body: (write: Write) => Promise<T>,
): Promise<T> {
  const gzip = createGzip()
  const done = (async () => {
    for await (const chunk of gzip) await append(chunk as Buffer)
  })()
  // The error is thrown where it is awaited below; without this, Node would report it as unhandled before.
  done.catch(() => {})
  try {
    const result = await pourPlain(async (bytes) => {
      if (!gzip.write(bytes)) await Promise.race([once(gzip, 'drain'), done])
    }, body)
    gzip.end()
    await done
    return result
  } catch (error) {
    gzip.destroy()
    await done.catch(() => {})
    throw error
  }
}
