import { KithError } from '@kith/core'
import type { EmbeddingIds } from './embedding-ids.ts'

/** Rows of numbers with ids: the embeddings of documents or queries. */
export interface Embeddings {
  readonly rows: number
  readonly dimensions: number
  /** How the rows are stored in the file and in memory; they are always read as float32. */
  readonly type: 'f16' | 'f32'
  /** The id of a row. */
  idOf(row: number): string
  /** The row of an id, undefined where there is none. */
  rowOf(id: string): number | undefined
  /** The rows from `from` up to, but not including, `to`, one behind the other. */
  read(from: number, to: number, into?: Float32Array): Float32Array
  /** The rows with the given numbers, one behind the other. */
  gather(rows: ArrayLike<number>, into?: Float32Array): Float32Array
  /** All rows on a SharedArrayBuffer; undefined when they are read from the file by position. */
  readonly memory: Float32Array | Uint16Array | undefined
  /** Closes the file behind the rows; may be called twice. */
  close(): Promise<void>
  /** As `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Embeddings of a file, with ids that worker threads can share. */
export interface FileEmbeddings extends Embeddings {
  readonly ids: EmbeddingIds
}

/** Checks a range of rows. */
export function checkRange({ rows }: { rows: number }, from: number, to: number): void {
  if (Number.isInteger(from) && Number.isInteger(to) && from >= 0 && from <= to && to <= rows)
    return
  throw new KithError('BAD_SHAPE', `rows ${from} to ${to} of a matrix that has ${rows}`)
}

/** Checks one row number. */
export function checkRow({ rows }: { rows: number }, row: number): void {
  if (Number.isInteger(row) && row >= 0 && row < rows) return
  throw new KithError('BAD_SHAPE', `row ${row} of a matrix that has ${rows}`)
}

/** The array to fill with `length` numbers: the caller's, or a new one. */
export function target(length: number, into: Float32Array | undefined): Float32Array {
  if (!into) return new Float32Array(length)
  if (into.length < length) {
    throw new KithError('BAD_SHAPE', `an array of ${into.length} numbers for ${length}`)
  }
  return into.length === length ? into : into.subarray(0, length)
}
