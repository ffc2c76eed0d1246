import { randomBytes } from 'node:crypto'
import { createWriteStream, rmSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { asFileError } from './file-error.ts'

/** Short texts are put together up to this length: a system call for each would cost more than it. */
const TEXT_BLOCK = 1 << 18

/** Appends text or bytes to a file; the promise keeps the writer from outrunning the disk. */
export type Write = (part: string | Uint8Array) => Promise<void>

/**
 * Writes a file whole or not at all: under a temporary name beside it, renamed when
 * everything is written. A name that ends in `.gz` is packed.
 *
 * @param body Writes the contents. Bytes that it returns replace the file's first ones: a
 *   header that counts what follows is known only at the end.
 */
export async function writeWhole(
  file: string,
  // biome-ignore lint/suspicious/noConfusingVoidType: most bodies return nothing
  body: (write: Write) => Promise<Uint8Array | void>,
): Promise<void> {
  await replaceWhole(file, async (temporary) => {
    const head = await writeStream(temporary, file.endsWith('.gz'), body)
    if (head) await overwrite(temporary, head)
  })
}

/** Lets a function write a file under a temporary name, and renames it when that succeeded. */
export async function replaceWhole(
  file: string,
  body: (temporary: string) => Promise<void>,
  temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`,
): Promise<void> {
  unfinished.add(temporary)
  try {
    await mkdir(dirname(file), { recursive: true })
    await body(temporary)
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    // What the body threw is not this file's fault, unless the system refused to write it.
    throw (error as NodeJS.ErrnoException).syscall ? asFileError(file, error) : error
  } finally {
    unfinished.delete(temporary)
  }
}

const unfinished = new Set<string>()

/** Removes what is being written, at once: for a program that was told to stop. */
export function discardUnfinished(): void {
  for (const temporary of unfinished) rmSync(temporary, { force: true })
}

async function writeStream<T>(
  file: string,
  packed: boolean,
  body: (write: Write) => Promise<T>,
): Promise<T> {
  const sink = createWriteStream(file)
  let stream: Writable = sink
  if (packed) {
    const gzip = createGzip()
    gzip.pipe(sink)
    sink.on('error', (error) => gzip.destroy(error))
    stream = gzip
  }
  const done = finished(sink)
  // The error is thrown where it is awaited below; until then it must not count as unhandled.
  done.catch(() => {})
  try {
    const pass = async (part: string | Uint8Array): Promise<void> => {
      if (!stream.write(part)) await Promise.race([drained(stream), done])
    }
    let text = ''
    const result = await body(async (part) => {
      if (typeof part === 'string') {
        text += part
        if (text.length < TEXT_BLOCK) return
        part = ''
      }
      const before = text
      text = ''
      if (before !== '') await pass(before)
      if (part.length > 0) await pass(part)
    })
    stream.end(text)
    await done
    return result
  } catch (error) {
    stream.destroy()
    sink.destroy()
    // The file must be closed before it can be removed.
    await done.catch(() => {})
    throw error
  }
}

function drained(stream: Writable): Promise<void> {
  return new Promise((resolve) => stream.once('drain', resolve))
}

async function overwrite(file: string, head: Uint8Array): Promise<void> {
  const handle = await open(file, 'r+')
  try {
    await handle.write(head, 0, head.length, 0)
  } finally {
    await handle.close()
  }
}
