import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs'
import { asFileError, FileError, findPath } from './file-error.ts'
import { isStandardInput } from './input-file.ts'

/** Why a format needs a regular file. */
export const POSITIONS = 'this format is read by position'

/**
 * Checks that a file is one that can be read at any position and more than once, which a pipe, a
 * device or standard input is not.
 *
 * @param reason Why it must be, such as `this command reads it twice`.
 */
export function checkRegular(file: string, reason: string): void {
  if (file === '-') throw irregular(file, 'standard input', reason)
  try {
    check(file, statSync(file), reason)
  } catch (error) {
    throw asFileError(file, error)
  }
}

/**
 * Whether a file can be read at any position and more than once, or is not there at all. Standard
 * input is read once, even if it is a file.
 */
export function isRegular(file: string): boolean {
  if (isStandardInput(file)) return false
  return findPath(file)?.isFile() !== false
}

/** Opens a regular file for reading, hands its descriptor to a function, and closes it. */
export function openRegular<T>(file: string, reason: string, use: (descriptor: number) => T): T {
  const descriptor = openDescriptor(file, reason)
  try {
    return use(descriptor)
  } catch (error) {
    throw asFileError(file, error)
  } finally {
    closeSync(descriptor)
  }
}

/** Opens a regular file for reading; the caller closes it. */
export function openDescriptor(file: string, reason: string): number {
  if (file === '-') throw irregular(file, 'standard input', reason)
  let descriptor: number | undefined
  try {
    // Without waiting: opening a FIFO would otherwise last until something writes to it.
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    check(file, fstatSync(descriptor), reason)
    return descriptor
  } catch (error) {
    if (descriptor !== undefined) closeSync(descriptor)
    throw asFileError(file, error)
  }
}

function check(file: string, kind: Stats, reason: string): void {
  if (kind.isFile()) return
  if (kind.isDirectory()) throw new FileError(file, '', 'is a folder, not a file')
  const what = kind.isFIFO() ? 'a pipe' : kind.isSocket() ? 'a socket' : 'a device'
  throw irregular(file, what, reason)
}

function irregular(file: string, what: string, reason: string): FileError {
  return new FileError(file, '', `is ${what}, but ${reason}; pass a file`)
}

/** A file's size and its first bytes, for parsing unchecked headers. */
export class Header {
  readonly size: number
  readonly #descriptor: number

  private constructor(
    readonly file: string,
    descriptor: number,
  ) {
    this.#descriptor = descriptor
    this.size = fstatSync(this.#descriptor).size
  }

  /** Opens a file, lets a function look at it, and closes it. */
  static read<T>(file: string, look: (header: Header) => T): T {
    return openRegular(file, POSITIONS, (descriptor) => look(new Header(file, descriptor)))
  }

  /** Bytes at a position. A header may claim any length; only what the file has is allocated. */
  bytes(position: number, length: number): Buffer {
    if (position + length > this.size) {
      const problem = `expected ${length} bytes, but the file ends at byte ${this.size}`
      throw new FileError(this.file, `byte ${position}`, problem)
    }
    const bytes = Buffer.alloc(length)
    for (let done = 0; done < length; ) {
      const got = readSync(this.#descriptor, bytes, done, length - done, position + done)
      if (got === 0)
        throw new FileError(this.file, `byte ${position + done}`, 'the file ends too early')
      done += got
    }
    return bytes
  }

  /** Checks that a matrix has a shape, and that the file holds exactly its numbers. */
  checkData(rows: number, dimensions: number, width: number, available: number): void {
    if (
      !Number.isSafeInteger(rows) ||
      rows < 0 ||
      !Number.isSafeInteger(dimensions) ||
      dimensions < 1
    ) {
      throw new FileError(
        this.file,
        '',
        `expected the shape of a matrix, got ${rows} × ${dimensions}`,
      )
    }
    const needed = rows * dimensions * width
    if (needed === available) return
    const shape = `${rows} × ${dimensions} numbers of ${width} bytes`
    throw new FileError(this.file, '', `expected ${needed} bytes (${shape}), got ${available}`)
  }
}
