import { fstatSync } from 'node:fs'
import { asFileError, FileError, readAllSync } from '@kith/base'
import { toFloats } from '@kith/base/half'
import { type RawLayout, RawReader, strideOf } from './raw-rows.ts'

/** Rows of an open file, and memory for them, in a form that can be sent to worker threads. */
export interface SharedRows {
  layout: RawLayout
  /** The descriptor of the file, which all threads of a process share. */
  descriptor: number
  /** The time of the file's last change, in milliseconds. */
  modified: number
  /** The loaded rows, in the order of loading, and room for more. */
  data: Float32Array | Uint16Array
  /** The position of each row in `data`, counted from 1; 0 for a row that is not loaded. */
  positions: Int32Array
  /** The number of rows that were loaded. */
  loaded: Int32Array
}

/** Loads rows of a file when a thread first needs them, for all threads. */
export class RowCache {
  readonly #shared: SharedRows
  readonly #reader: RawReader
  readonly #bytes: Uint8Array
  #found = new Uint32Array(0)

  constructor(shared: SharedRows) {
    this.#shared = shared
    this.#reader = new RawReader(shared.layout, shared.descriptor)
    this.#bytes = new Uint8Array(shared.data.buffer)
  }

  /**
   * Returns the positions of rows in the memory, in an array that the next call reuses; undefined
   * if the memory has no room for all of them.
   */
  load(rows: Uint32Array): Uint32Array | undefined {
    const { positions } = this.#shared
    if (this.#found.length !== rows.length) this.#found = new Uint32Array(rows.length)
    const found = this.#found
    for (let i = 0; i < rows.length; i++) {
      // Atomic, so that a row is complete when another thread sees its position.
      const position = Atomics.load(positions, rows[i]!) || this.#load(rows[i]!)
      if (position === 0) return undefined
      found[i] = position - 1
    }
    return found
  }

  /** Reads rows from the file as float32, one after the other, without keeping them. */
  read(rows: Uint32Array, into: Float32Array): void {
    const { dimensions, stored } = this.#shared.layout
    const halves = stored === 'f16' ? new Uint16Array(dimensions) : undefined
    rows.forEach((row, i) => {
      this.#reader.read(row, row + 1, halves ?? into, halves ? 0 : i * dimensions)
      if (halves) toFloats(halves, into, i * dimensions)
    })
  }

  /** Throws if another program has written to the file since it was opened. */
  checkUnchanged(): void {
    checkUnchanged(this.#shared)
  }

  /** Loads a row; returns its position, counted from 1, or 0 if the memory is full. */
  #load(row: number): number {
    const { layout, descriptor, data, positions, loaded } = this.#shared
    const { file, offset, dimensions, stored, counted } = layout
    const room = data.length / dimensions
    // Without this check, the number would go on growing while the memory is full.
    if (Atomics.load(loaded, 0) >= room) return 0
    // Two threads may load the same row: then the position that is stored last counts.
    const position = Atomics.add(loaded, 0, 1)
    if (position >= room) return 0
    const at = position * dimensions
    try {
      // Doubles are converted to floats, and counts are stored between rows: both need a copy.
      if (stored === 'f64' || counted) this.#reader.read(row, row + 1, data, at)
      else {
        const stride = strideOf(layout)
        const bytes = this.#bytes.subarray(position * stride, (position + 1) * stride)
        readAllSync(descriptor, bytes, offset + row * stride, file)
      }
    } catch (error) {
      throw asFileError(file, error)
    }
    Atomics.store(positions, row, position + 1)
    return position + 1
  }
}

/** Throws if another program has written to a file since it was opened. */
export function checkUnchanged({
  layout,
  descriptor,
  modified,
}: Pick<SharedRows, 'layout' | 'descriptor' | 'modified'>): void {
  if (fstatSync(descriptor).mtimeMs === modified) return
  throw new FileError(layout.file, '', 'the file has changed since it was opened; open it again')
}
