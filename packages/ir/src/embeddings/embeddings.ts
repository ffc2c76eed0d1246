import { closeSync, fstatSync, read } from 'node:fs'
import { promisify } from 'node:util'
import { asFileError, FileError, openDescriptor, POSITIONS } from '@kith/base'
import { toFloats } from '@kith/base/half'
import { KithError } from '@kith/core'
import type { EmbeddingIds } from './embedding-ids.ts'
import { checkFinite, type RawLayout, RawReader, widthOf } from './raw-rows.ts'
import { checkUnchanged, type SharedRows } from './row-cache.ts'

/** Rows of numbers with ids: the embeddings of documents or queries. */
export interface Embeddings {
  readonly rows: number
  readonly dimensions: number
  /** How the rows are stored in the file and in memory; they are always returned as float32. */
  readonly type: 'f16' | 'f32'
  /** Returns the id of a row. */
  idOf(row: number): string
  /** Returns the row of an id; undefined if there is none. */
  rowOf(id: string): number | undefined
  /** Reads the rows from `from` up to, but not including, `to`, one after the other. */
  read(from: number, to: number, into?: Float32Array): Float32Array
  /** Reads the rows with the given numbers, one after the other. */
  gather(rows: ArrayLike<number>, into?: Float32Array): Float32Array
  /** All rows on a SharedArrayBuffer; undefined if rows are read from the file by position. */
  readonly memory: Float32Array | Uint16Array | undefined
  /** Closes the file with the rows; may be called twice. */
  close(): Promise<void>
  /** Does the same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Embeddings from a file, with ids that worker threads can share. */
export interface FileEmbeddings extends Embeddings {
  readonly ids: EmbeddingIds
  /** Returns memory for worker threads that load rows; undefined if all rows are in memory. */
  share(): SharedRows | undefined
}

/** Checks a range of rows. */
function checkRange({ rows }: { rows: number }, from: number, to: number): void {
  if (Number.isInteger(from) && Number.isInteger(to) && from >= 0 && from <= to && to <= rows)
    return
  throw new KithError(
    'BAD_SHAPE',
    `rows ${from} to ${to} are out of range: the matrix has ${rows} rows`,
  )
}

/** Checks one row number. */
function checkRow({ rows }: { rows: number }, row: number): void {
  if (Number.isInteger(row) && row >= 0 && row < rows) return
  throw new KithError('BAD_SHAPE', `row ${row} is out of range: the matrix has ${rows} rows`)
}

/** Returns the array for `length` numbers: the caller's array, or a new one. */
function target(length: number, into: Float32Array | undefined): Float32Array {
  if (!into) return new Float32Array(length)
  if (into.length < length) {
    throw new KithError(
      'BAD_SHAPE',
      `the array must have room for ${length} numbers, got ${into.length}`,
    )
  }
  return into.length === length ? into : into.subarray(0, length)
}

/**
 * Embeddings with ids and with rows read by number; subclasses determine where the rows are stored.
 */
abstract class RowEmbeddings implements FileEmbeddings {
  abstract readonly memory: Float32Array | Uint16Array | undefined
  constructor(
    readonly rows: number,
    readonly dimensions: number,
    readonly type: 'f16' | 'f32',
    readonly ids: EmbeddingIds,
  ) {}

  /** Copies the rows from `from` up to `to` into `into`, starting at index `at`. */
  protected abstract copy(from: number, to: number, into: Float32Array, at: number): void

  abstract share(): SharedRows | undefined

  abstract close(): Promise<void>

  /** Does the same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  idOf(row: number): string {
    checkRow(this, row)
    return this.ids.idOf(row)
  }

  rowOf(id: string): number | undefined {
    return this.ids.rowOf(id)
  }

  read(from: number, to: number, into?: Float32Array): Float32Array {
    checkRange(this, from, to)
    const result = target((to - from) * this.dimensions, into)
    this.copy(from, to, result, 0)
    return result
  }

  gather(rows: ArrayLike<number>, into?: Float32Array): Float32Array {
    const result = target(rows.length * this.dimensions, into)
    for (let i = 0; i < rows.length; i++) {
      checkRow(this, rows[i]!)
      this.copy(rows[i]!, rows[i]! + 1, result, i * this.dimensions)
    }
    return result
  }
}

/** Embeddings that are all in memory, shared with worker threads. */
export class MemoryEmbeddings extends RowEmbeddings {
  constructor(
    readonly memory: Float32Array | Uint16Array,
    dimensions: number,
    ids: EmbeddingIds,
  ) {
    const type = memory instanceof Uint16Array ? 'f16' : 'f32'
    super(memory.length / dimensions, dimensions, type, ids)
  }

  share(): undefined {}

  async close(): Promise<void> {}

  protected copy(from: number, to: number, into: Float32Array, at: number): void {
    const source = this.memory.subarray(from * this.dimensions, to * this.dimensions)
    if (source instanceof Float32Array) into.set(source, at)
    else toFloats(source, into, at)
  }
}

/** Options for opening rows. */
interface RawOptions {
  /** Maximum number of bytes to load into memory. */
  memory: number
  /** Maximum number of bytes to load at once; worker threads load the rows that they need. */
  loadAtOnce: number
  /** Whether rows that need no conversion are checked to be finite. */
  checked: boolean
  /** The name of the file in errors, if it was unpacked. */
  name?: string
}

/**
 * Opens rows at known positions: all in memory if they fit the budget, otherwise read when needed.
 */
export async function openRaw(
  opened: RawLayout,
  ids: EmbeddingIds,
  { memory: budget, loadAtOnce, checked, name = opened.file }: RawOptions,
): Promise<FileEmbeddings> {
  const descriptor = openDescriptor(opened.file, POSITIONS)
  const layout = { ...opened, file: name }
  const { file, rows, dimensions, stored, counted } = layout
  if (rows * dimensions * (stored === 'f16' ? 2 : 4) > Math.min(budget, loadAtOnce)) {
    return new DiskEmbeddings(new RawReader(layout, descriptor, checked), ids, budget)
  }
  try {
    const memory = sharedArray(rows * dimensions, stored === 'f16' ? 'f16' : 'f32')
    // Doubles are converted to floats, and counts are stored between rows: both need a copy.
    if (stored === 'f64' || counted) new RawReader(layout, descriptor).read(0, rows, memory, 0)
    else await readShared(layout, descriptor, memory, checked)
    return new MemoryEmbeddings(memory, dimensions, ids)
  } catch (error) {
    throw asFileError(file, error)
  } finally {
    closeSync(descriptor)
  }
}

/** Creates an array that worker threads can share. */
export function sharedArray(length: number, type: 'f16' | 'f32'): Float32Array | Uint16Array {
  try {
    return type === 'f16'
      ? new Uint16Array(new SharedArrayBuffer(length * 2))
      : new Float32Array(new SharedArrayBuffer(length * 4))
  } catch {
    const bytes = length * (type === 'f16' ? 2 : 4)
    throw new KithError('OUT_OF_MEMORY', `not enough memory for ${bytes} bytes of embeddings`)
  }
}

/** Embeddings whose rows are read from the file at each call. */
class DiskEmbeddings extends RowEmbeddings {
  readonly memory = undefined
  readonly #reader: RawReader
  readonly #modified: number
  readonly #budget: number
  #halves = new Uint16Array(0)
  #open = true

  /** @param budget Maximum number of bytes that worker threads load. */
  constructor(reader: RawReader, ids: EmbeddingIds, budget: number) {
    const { layout, descriptor } = reader
    super(layout.rows, layout.dimensions, layout.stored === 'f16' ? 'f16' : 'f32', ids)
    this.#reader = reader
    this.#modified = fstatSync(descriptor).mtimeMs
    this.#budget = budget
  }

  share(): SharedRows {
    const { layout, descriptor } = this.#reader
    const bytes = this.dimensions * (this.type === 'f16' ? 2 : 4)
    const room = Math.min(this.rows, Math.floor(this.#budget / bytes))
    return {
      ...{ layout, descriptor, modified: this.#modified },
      // The system gives memory only to the part that is used.
      data: sharedArray(room * this.dimensions, this.type),
      positions: new Int32Array(new SharedArrayBuffer(this.rows * 4)),
      loaded: new Int32Array(new SharedArrayBuffer(4)),
    }
  }

  override read(from: number, to: number, into?: Float32Array): Float32Array {
    return this.#unchanged(super.read(from, to, into))
  }

  override gather(rows: ArrayLike<number>, into?: Float32Array): Float32Array {
    return this.#unchanged(super.gather(rows, into))
  }

  /** Returns the rows; throws if another program has written to the file since it was opened. */
  #unchanged(rows: Float32Array): Float32Array {
    const { descriptor, layout } = this.#reader
    if (rows.length > 0) checkUnchanged({ descriptor, layout, modified: this.#modified })
    return rows
  }

  async close(): Promise<void> {
    if (this.#open) closeSync(this.#reader.descriptor)
    this.#open = false
  }

  protected copy(from: number, to: number, into: Float32Array, at: number): void {
    const { file } = this.#reader.layout
    if (!this.#open) throw new KithError('CLOSED', `${file}: the embeddings are closed`)
    if (this.type === 'f32') {
      this.#reader.read(from, to, into, at)
      return
    }
    const length = (to - from) * this.dimensions
    if (this.#halves.length < length) this.#halves = new Uint16Array(length)
    this.#reader.read(from, to, this.#halves, 0)
    toFloats(this.#halves.subarray(0, length), into, at)
  }
}

const readOnce = promisify(read)

/** Bytes per read: large enough that the cost of a call does not matter. */
const BLOCK = 8 << 20

/** The number of reads at the same time: Node has four threads for that, and other files are read meanwhile. */
const AT_ONCE = 3

/**
 * Reads all rows into shared memory of the same type, without an intermediate copy. Several blocks
 * are read at a time; they are checked in order, so that an error names the first bad row.
 *
 * @param checked Whether every number is checked to be finite.
 */
async function readShared(
  layout: RawLayout,
  descriptor: number,
  into: Float32Array | Uint16Array,
  checked: boolean,
): Promise<void> {
  const stride = layout.dimensions * widthOf(layout.stored)
  const rows = Math.max(1, Math.floor(BLOCK / stride))
  const bytes = new Uint8Array(into.buffer, into.byteOffset, into.byteLength)
  const inProgress: Promise<void>[] = []
  try {
    for (let row = 0, next = 0; row < layout.rows; row += rows) {
      for (; next < layout.rows && inProgress.length < AT_ONCE; next += rows) {
        const end = Math.min(next + rows, layout.rows)
        inProgress.push(
          readBlock(layout, descriptor, bytes.subarray(next * stride, end * stride), next),
        )
      }
      await inProgress.shift()
      if (!checked) continue
      const end = Math.min(row + rows, layout.rows)
      checkFinite(layout, into.subarray(row * layout.dimensions, end * layout.dimensions), row)
    }
  } finally {
    // The descriptor is closed next, so no read may still use it.
    await Promise.allSettled(inProgress)
  }
}

/** Fills a block with the bytes of the rows from `row` on. */
async function readBlock(
  { file, offset, dimensions, stored }: RawLayout,
  descriptor: number,
  block: Uint8Array,
  row: number,
): Promise<void> {
  const position = offset + row * dimensions * widthOf(stored)
  for (let done = 0; done < block.length; ) {
    const left = block.length - done
    const { bytesRead } = await readOnce(descriptor, block, done, left, position + done)
    if (bytesRead === 0) throw new FileError(file, `row ${row}`, 'the file ends too early')
    done += bytesRead
  }
}
