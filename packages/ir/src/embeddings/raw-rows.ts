import { readSync } from 'node:fs'
import { FileError } from '@kith/base'
import { notFinite } from '@kith/base/half'

/** The positions of the rows in a file, according to its header and verified by its size. */
export interface RawLayout {
  file: string
  /** The first byte of the first row. */
  offset: number
  rows: number
  dimensions: number
  stored: 'f16' | 'f32' | 'f64'
  /** Whether each row begins with its dimension as an int32, as in `.fvecs`. */
  counted: boolean
}

const widths = { f16: 2, f32: 4, f64: 8 }

/** Returns the bytes per number. */
export function widthOf(stored: RawLayout['stored']): number {
  return widths[stored]
}

/** Returns the bytes from one row to the next. */
export function strideOf({ dimensions, stored, counted }: RawLayout): number {
  return dimensions * widths[stored] + (counted ? 4 : 0)
}

/** Bytes per read. */
const BLOCK = 8 << 20

/**
 * Reads rows by position, and copies the numbers in the type in which they are kept: halves as bits,
 * everything else as float32.
 */
export class RawReader {
  #scratch = Buffer.alloc(0)

  /** @param checked Whether numbers that need no conversion are checked to be finite. */
  constructor(
    readonly layout: RawLayout,
    readonly descriptor: number,
    readonly checked = true,
  ) {}

  /** Reads the rows from `from` up to `to` into an array, starting at index `at`. */
  read(from: number, to: number, into: Float32Array | Uint16Array, at: number): void {
    const stride = strideOf(this.layout)
    const atOnce = Math.max(1, Math.floor(BLOCK / stride))
    for (let row = from; row < to; row += atOnce) {
      const rows = Math.min(atOnce, to - row)
      const bytes = this.#bytes(row, rows * stride)
      const offset = at + (row - from) * this.layout.dimensions
      if (!this.layout.counted) into.set(this.#values(bytes, 0, row, rows), offset)
      else {
        for (let i = 0; i < rows; i++) {
          const values = this.#values(bytes, i * stride, row + i, 1)
          into.set(values, offset + i * this.layout.dimensions)
        }
      }
    }
  }

  #bytes(row: number, length: number): Buffer {
    // Memory of its own, so that numbers in it are aligned; never more than a block or a row.
    if (this.#scratch.length < length) this.#scratch = Buffer.from(new ArrayBuffer(length))
    const position = this.layout.offset + row * strideOf(this.layout)
    for (let done = 0; done < length; ) {
      const got = readSync(this.descriptor, this.#scratch, done, length - done, position + done)
      if (got === 0) throw new FileError(this.layout.file, `row ${row}`, 'the file ends too early')
      done += got
    }
    return this.#scratch
  }

  /** Returns the numbers of rows: a view of the bytes, or float32 converted from doubles. */
  #values(bytes: Buffer, start: number, row: number, rows: number): Float32Array | Uint16Array {
    const { file, dimensions, stored, counted } = this.layout
    if (counted && bytes.readInt32LE(start) !== dimensions) {
      const problem = `expected ${dimensions} dimensions, as in row 0, got ${bytes.readInt32LE(start)}`
      throw new FileError(file, `row ${row}`, problem)
    }
    const buffer = bytes.buffer as ArrayBuffer
    const at = bytes.byteOffset + start + (counted ? 4 : 0)
    const length = rows * dimensions
    const values =
      stored === 'f16'
        ? new Uint16Array(buffer, at, length)
        : stored === 'f32'
          ? new Float32Array(buffer, at, length)
          : new Float32Array(new Float64Array(buffer, at, length))
    if (this.checked || stored === 'f64') checkFinite(this.layout, values, row)
    return values
  }
}

/** Throws if a number in some rows is not finite; `row` is the number of the first row. */
export function checkFinite(
  { file, dimensions }: Pick<RawLayout, 'file' | 'dimensions'>,
  values: Float32Array | Uint16Array,
  row: number,
): void {
  const bad = notFinite(values)
  if (bad < 0) return
  const place = `row ${row + Math.floor(bad / dimensions)} column ${bad % dimensions}`
  throw new FileError(file, place, 'the value is not a finite float32')
}
