import { fstatSync, readSync } from 'node:fs'
import { FileError } from './file-error.ts'
import { openRegular, POSITIONS } from './regular-file.ts'

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
      const problem = `needs ${length} bytes here, the file ends at byte ${this.size}`
      throw new FileError(this.file, `byte ${position}`, problem)
    }
    const bytes = Buffer.alloc(length)
    for (let done = 0; done < length; ) {
      const got = readSync(this.#descriptor, bytes, done, length - done, position + done)
      if (got === 0) throw new FileError(this.file, `byte ${position + done}`, 'the file ends here')
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
      throw new FileError(this.file, '', `the shape is ${rows} × ${dimensions}`)
    }
    const needed = rows * dimensions * width
    if (needed === available) return
    const shape = `${rows} × ${dimensions} numbers of ${width} bytes`
    throw new FileError(this.file, '', `${shape} are ${needed} bytes, the file has ${available}`)
  }
}
