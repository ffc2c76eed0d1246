import { closeSync, constants, createReadStream, fstatSync, openSync, readSync } from 'node:fs'
import { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { isatty, ReadStream } from 'node:tty'
import { createGunzip } from 'node:zlib'
import { KithError } from '@kith/core'
import { asFileError, FileError } from './file-error.ts'
import { openRegular, POSITIONS } from './regular-file.ts'

/** Bytes per chunk: enough to make the cost of each one vanish, few enough that old ones take little memory. */
const CHUNK = 1 << 18

/** Maximum number of bytes that a format is recognized by. */
const START = 1 << 20

/**
 * A file that is read from front to back, once: its first bytes can be peeked at to recognize the
 * format. Bytes that were read from a pipe are lost, so that opening the pipe a second time would
 * miss its beginning. Files packed with gzip, recognized by their first bytes, are unpacked; a byte
 * order mark is left out. `-` and `/dev/stdin` are standard input.
 */
export class InputFile {
  /** The name in messages. */
  readonly name: string
  readonly #file: string
  #source: Readable | undefined
  #unpacked: AsyncGenerator<Buffer> | undefined
  #start: Buffer | undefined

  constructor(file: string) {
    this.#file = file
    this.name = isStandardInput(file) ? 'standard input' : file
  }

  /** The first bytes, up to a mebibyte; `chunks` begins with them. */
  async start(): Promise<Buffer> {
    if (this.#start) return this.#start
    try {
      this.#source = openSource(this.#file)
      this.#unpacked = unpack(this.name, this.#source)
      this.#start = withoutMark(await gather(this.#unpacked, START))
      return this.#start
    } catch (error) {
      await this.close()
      throw asFileError(this.name, error)
    }
  }

  /** The whole file, in chunks. It can be read once. */
  async *chunks(): AsyncGenerator<Buffer> {
    try {
      const start = await this.start()
      this.#start = Buffer.alloc(0)
      if (start.length > 0) yield start
      yield* this.#unpacked!
    } catch (error) {
      throw asFileError(this.name, error)
    } finally {
      await this.close()
    }
  }

  /** Closes the file if it was not read to its end. */
  async close(): Promise<void> {
    this.#source?.destroy()
  }
}

/** Whether a name means standard input. */
export function isStandardInput(file: string): boolean {
  return ['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0'].includes(file)
}

let standardInputTaken = false

/**
 * Opens a file as a stream. Opening a FIFO waits for its writer, in a thread that keeps the program
 * from ending; so the FIFO is opened without waiting, and the event loop reports when there is
 * data.
 */
function openSource(file: string): Readable {
  if (isStandardInput(file)) {
    if (standardInputTaken) {
      throw new KithError(
        'BAD_SETTING',
        'standard input can be read only once; name files for the other inputs',
      )
    }
    standardInputTaken = true
    return process.stdin
  }
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const kind = fstatSync(descriptor)
    if (kind.isFIFO()) return new Socket({ fd: descriptor, readable: true, writable: false })
    if (isatty(descriptor)) return new ReadStream(descriptor)
    return createReadStream(file, { fd: descriptor, highWaterMark: CHUNK })
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

/** The chunks of a stream, unpacked if they are packed. */
async function* unpack(name: string, source: Readable): AsyncGenerator<Buffer> {
  const packed: AsyncIterator<Buffer> = source[Symbol.asyncIterator]()
  const start = await gather(packed, MAGIC_LENGTH)
  const whole = joined(start, packed)
  if (!isPacked(name, start)) {
    yield* whole
    return
  }
  const unpacked = createGunzip({ chunkSize: CHUNK })
  const input = Readable.from(whole, { objectMode: false })
  input.on('error', (error) => unpacked.destroy(error))
  yield* input.pipe(unpacked) as AsyncIterable<Buffer>
}

async function* joined(start: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  if (start.length > 0) yield start
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}

/** Reads chunks until this many bytes are available, or the stream ends. */
async function gather(chunks: AsyncIterator<Buffer>, bytes: number): Promise<Buffer> {
  const parts: Buffer[] = []
  for (let length = 0; length < bytes; ) {
    const next = await chunks.next()
    if (next.done) break
    parts.push(next.value)
    length += next.value.length
  }
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts)
}

function withoutMark(start: Buffer): Buffer {
  const marked = start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf
  return marked ? start.subarray(3) : start
}

/** Reads a file in chunks, once from front to back, unpacked if it is packed with gzip. */
export function readChunks(file: string): AsyncGenerator<Buffer> {
  return new InputFile(file).chunks()
}

/**
 * Bytes that mark a file packed with gzip: two magic bytes, and the method, which is always the
 * same.
 */
const MAGIC_LENGTH = 3

/** Whether a name says that its file is packed with gzip. */
export function hasPackedName(file: string): boolean {
  return /\.gz$/i.test(file)
}

/** Whether the first bytes of a file are gzip's; the file name does not matter. */
function isPacked(file: string, start: Uint8Array): boolean {
  if (start[0] === 0x1f && start[1] === 0x8b && start[2] === 0x08) return true
  if (!hasPackedName(file)) return false
  throw new FileError(file, '', 'ends in .gz but is not gzip data; the file is damaged or misnamed')
}

/** Whether a file that is read by position is packed with gzip. */
export function isPackedFile(file: string): boolean {
  const start = new Uint8Array(MAGIC_LENGTH)
  openRegular(file, POSITIONS, (descriptor) => readSync(descriptor, start, 0, MAGIC_LENGTH, 0))
  return isPacked(file, start)
}
