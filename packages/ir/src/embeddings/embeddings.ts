import { closeSync, fstatSync } from 'node:fs'
import { FileError, openDescriptor, POSITIONS } from '@kith/base'
import { halfTable } from '@kith/base/half'
import { KithError } from '@kith/core'
import type { EmbeddingIds } from './embedding-ids.ts'
import { loadRows, type RowRange } from './load-rows.ts'
import { type RawLayout, RawReader } from './raw-rows.ts'

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
  /**
   * Loads some rows for worker threads, without checking their numbers. Returns undefined if they
   * need more memory than opening allowed: then rows are read by position.
   *
   * @param wanted 1 for each row to load.
   */
  load(wanted: Uint8Array): Promise<LoadedRows | undefined>
}

/** Rows on a SharedArrayBuffer. */
export interface LoadedRows {
  data: Float32Array | Uint16Array
  /** The position of each row in `data`, -1 if it was not loaded; undefined if all rows were. */
  positions: Int32Array | undefined
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

  abstract load(wanted: Uint8Array): Promise<LoadedRows | undefined>

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

  async load(): Promise<LoadedRows> {
    return { data: this.memory, positions: undefined }
  }

  async close(): Promise<void> {}

  protected copy(from: number, to: number, into: Float32Array, at: number): void {
    const source = this.memory.subarray(from * this.dimensions, to * this.dimensions)
    if (source instanceof Float32Array) into.set(source, at)
    else {
      const values = halfTable()
      for (let i = 0; i < source.length; i++) into[at + i] = values[source[i]!]!
    }
  }
}

/** Options for opening rows. */
interface RawOptions {
  /** Maximum number of bytes to load into memory. */
  memory: number
  /** Number of bytes from which rows are loaded only by `load`. */
  loadLater: number
  /** Whether loaded rows are checked to be finite. */
  checked: boolean
}

/**
 * Opens rows at known positions: all in memory if they fit the budget, otherwise read when needed.
 */
export async function openRaw(
  layout: RawLayout,
  ids: EmbeddingIds,
  { memory: budget, loadLater, checked }: RawOptions,
): Promise<FileEmbeddings> {
  const { file, rows, dimensions, stored } = layout
  const descriptor = openDescriptor(file, POSITIONS)
  if (rows * dimensions * (stored === 'f16' ? 2 : 4) > Math.min(budget, loadLater)) {
    return new DiskEmbeddings(layout, descriptor, ids, budget)
  }
  try {
    const memory = sharedArray(rows * dimensions, stored === 'f16' ? 'f16' : 'f32')
    await loadRows(new RawReader(layout, descriptor), [{ from: 0, to: rows }], memory, checked)
    return new MemoryEmbeddings(memory, dimensions, ids)
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

/** Yields the ranges of wanted rows. */
function* rangesOf(wanted: Uint8Array): Generator<RowRange> {
  for (let from = wanted.indexOf(1); from >= 0; ) {
    const end = wanted.indexOf(0, from)
    const to = end < 0 ? wanted.length : end
    yield { from, to }
    from = wanted.indexOf(1, to)
  }
}

/** Embeddings whose rows are read from the file at each call, unless they are loaded. */
class DiskEmbeddings extends RowEmbeddings {
  readonly memory = undefined
  readonly #reader: RawReader
  readonly #modified: number
  #halves = new Uint16Array(0)
  #open = true

  constructor(
    layout: RawLayout,
    descriptor: number,
    ids: EmbeddingIds,
    /** Maximum number of bytes to load. */
    readonly budget: number,
  ) {
    super(layout.rows, layout.dimensions, layout.stored === 'f16' ? 'f16' : 'f32', ids)
    this.#reader = new RawReader(layout, descriptor)
    this.#modified = fstatSync(descriptor).mtimeMs
  }

  async load(wanted: Uint8Array): Promise<LoadedRows | undefined> {
    let count = 0
    for (const one of wanted) count += one
    const length = count * this.dimensions
    if (length * (this.type === 'f16' ? 2 : 4) > this.budget) return undefined
    const data = sharedArray(length, this.type)
    const positions = new Int32Array(new SharedArrayBuffer(wanted.length * 4)).fill(-1)
    for (let row = 0, position = 0; row < wanted.length; row++) {
      if (wanted[row]) positions[row] = position++
    }
    await loadRows(this.#reader, rangesOf(wanted), data, false)
    return { data: this.#unchanged(data), positions }
  }

  override read(from: number, to: number, into?: Float32Array): Float32Array {
    return this.#unchanged(super.read(from, to, into))
  }

  override gather(rows: ArrayLike<number>, into?: Float32Array): Float32Array {
    return this.#unchanged(super.gather(rows, into))
  }

  /** Returns the rows; throws if another program has written to the file since it was opened. */
  #unchanged<T extends Float32Array | Uint16Array>(rows: T): T {
    const { descriptor, layout } = this.#reader
    if (rows.length === 0 || fstatSync(descriptor).mtimeMs === this.#modified) return rows
    throw new FileError(layout.file, '', 'the file has changed since it was opened; open it again')
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
    const values = halfTable()
    for (let i = 0; i < length; i++) into[at + i] = values[this.#halves[i]!]!
  }
}
