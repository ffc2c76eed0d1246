import { once } from 'node:events'
import { closeSync, createReadStream, openSync } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createGzip } from 'node:zlib'
import { hasPackedName } from './input-file.ts'
import {
  keepAttributes,
  makeFolder,
  modeFor,
  named,
  type OutputPlace,
  openStraight,
  outputPlace,
  withScratch,
} from './output-place.ts'
import { finished, unfinishedBeside } from './unfinished.ts'
import { writeAll } from './write-all.ts'

/** A file that is completely on the disk, under a temporary name. */
export interface PreparedFile {
  /** Gives it its name. */
  commit(): Promise<void>
  /** Removes it, unless it has its name. */
  discard(): Promise<void>
}

/**
 * Writes a file whole or not at all: under a temporary name beside it, renamed when everything is
 * written and on the disk. A link stays, and the file that it names is replaced; mode and owner of an
 * earlier file are kept. A pipe or a device is written straight into. A name that ends in `.gz` is
 * packed.
 *
 * @param written Called with the bytes of the file as they are written.
 */
export async function writeAtomic(
  file: string,
  body: (write: Write) => Promise<void>,
  written?: (bytes: Uint8Array) => void,
): Promise<void> {
  await (await prepareAtomic(file, body, written)).commit()
}

/** `writeAtomic` up to the renaming: of several files, none replaces an earlier one unless all can. */
export async function prepareAtomic(
  file: string,
  body: (write: Write) => Promise<void>,
  written?: (bytes: Uint8Array) => void,
): Promise<PreparedFile> {
  const place = outputPlace(file)
  const packed = hasPackedName(file)
  const fill = (descriptor: number) => writeBody({ descriptor, file, packed, written }, body)
  if (!place.straight) return prepare(place, file, fill)
  const { descriptor, close } = await openStraight(place, file)
  await fill(descriptor).finally(close)
  return { commit: async () => {}, discard: async () => {} }
}

/**
 * `prepareAtomic` for a file with a header that is known only at the end: the bytes that the body
 * returns replace the first ones. If bytes cannot be replaced, in a packed file or a pipe, all is
 * written to a temporary file first.
 */
export async function prepareHeaded(
  file: string,
  body: (write: Write) => Promise<Uint8Array>,
): Promise<PreparedFile> {
  const place = outputPlace(file)
  const fill = async (descriptor: number, name: string): Promise<void> => {
    const head = await writeBody({ descriptor, file: name, packed: false }, body)
    await writeAll(descriptor, head, 0, name)
  }
  if (!place.straight && !hasPackedName(file)) {
    return prepare(place, file, (descriptor) => fill(descriptor, file))
  }
  return withScratch(place, file, async (scratch) => {
    const handle = await named(scratch, () => create(scratch, 0o600))
    await fill(handle.fd, scratch).finally(() => named(scratch, () => handle.close()))
    return prepareAtomic(file, (write) => read(scratch, write))
  })
}

/** Gives a file that is written completely the name of an output, or copies it into a pipe or device. */
export async function putInPlace(written: string, output: string): Promise<void> {
  const place = outputPlace(output)
  if (place.straight) {
    const { descriptor, close } = await openStraight(place, output)
    const copy = writeBody({ descriptor, file: output, packed: false }, (write) =>
      read(written, write),
    )
    await copy.finally(close)
    await rm(written, { force: true })
    return
  }
  await named(output, async () => {
    const handle = await open(written, 'r')
    try {
      await keepAttributes(handle, place.before)
    } finally {
      await handle.close()
    }
    await rename(written, place.file)
  })
}

/**
 * Creates and opens an unfinished file. It is created synchronously: otherwise, a program that ends
 * meanwhile could not remove it, since the file would appear later.
 */
async function create(file: string, mode: number): Promise<FileHandle> {
  closeSync(openSync(file, 'wx', mode))
  return open(file, 'r+')
}

async function read(file: string, write: Write): Promise<void> {
  await named(file, async () => {
    for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) {
      await write(chunk as Buffer)
    }
  })
}

async function prepare(
  place: OutputPlace,
  file: string,
  fill: (descriptor: number) => Promise<void>,
): Promise<PreparedFile> {
  makeFolder(dirname(place.file), file)
  const temporary = unfinishedBeside(place.file)
  const discard = async (): Promise<void> => {
    await rm(temporary, { force: true }).catch(() => {})
    finished(temporary)
  }
  const commit = async (): Promise<void> => {
    await orDiscard(discard, () => named(file, () => rename(temporary, place.file)))
    finished(temporary)
  }
  await orDiscard(discard, async () => {
    const handle = await named(file, () => create(temporary, modeFor(place)))
    try {
      await fill(handle.fd)
      await named(file, async () => {
        await keepAttributes(handle, place.before)
        await handle.datasync()
      })
    } finally {
      await named(file, () => handle.close())
    }
  })
  return { commit, discard }
}

async function orDiscard(discard: () => Promise<void>, action: () => Promise<void>): Promise<void> {
  try {
    await action()
  } catch (error) {
    await discard()
    throw error
  }
}

/** Short parts are put together up to this number of bytes: a system call for each would cost more. */
const BLOCK = 1 << 20

/** Short texts are put together up to this length before they become bytes. */
const TEXT_BLOCK = 1 << 18

/** Appends text or bytes to a file; the promise keeps the writer from outrunning the disk. */
export type Write = (part: string | Uint8Array) => Promise<void>

/** An open file that is written from where its descriptor stands. */
interface Sink {
  descriptor: number
  /** The file's name in messages. */
  file: string
  packed: boolean
  /** Called with the bytes that were written. */
  written?: ((bytes: Uint8Array) => void) | undefined
}

/** Lets a function write into an open file, packed where that is wanted. */
async function writeBody<T>(
  { descriptor, file, packed, written }: Sink,
  body: (write: Write) => Promise<T>,
): Promise<T> {
  const append = async (bytes: Uint8Array): Promise<void> => {
    const writing = writeAll(descriptor, bytes, null, file)
    written?.(bytes)
    await writing
  }
  return packed ? writePacked(append, body) : writePlain(append, body)
}

async function writePlain<T>(
  append: (bytes: Uint8Array) => Promise<void>,
  body: (write: Write) => Promise<T>,
): Promise<T> {
  let text = ''
  let block: Buffer | undefined
  let length = 0
  const flush = async (): Promise<void> => {
    const bytes = block?.subarray(0, length)
    // A new block, since packing reads this one later.
    block = undefined
    length = 0
    if (bytes) await append(bytes)
  }
  const add = async (part: Uint8Array): Promise<void> => {
    if (length + part.length > BLOCK) await flush()
    if (part.length >= BLOCK) return append(part)
    block ??= Buffer.allocUnsafe(BLOCK)
    block.set(part, length)
    length += part.length
  }
  const addText = async (): Promise<void> => {
    const bytes = Buffer.from(text)
    text = ''
    await add(bytes)
  }
  const result = await body(async (part) => {
    if (typeof part === 'string') {
      text += part
      if (text.length >= TEXT_BLOCK) await addText()
    } else {
      if (text !== '') await addText()
      await add(part)
    }
  })
  await addText()
  await flush()
  return result
}

async function writePacked<T>(
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
    const result = await writePlain(async (bytes) => {
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
