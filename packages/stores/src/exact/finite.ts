import { halfTable } from '@kith/base/half'
import type { KithErrorCode, Matrix } from '@kith/core'
import type { Block } from './scanner.ts'

/** Throws if a query contains NaN or an infinite number. */
export function checkQueries({ data, rows, dimensions }: Matrix): void {
  const at = data.subarray(0, rows * dimensions).findIndex((value) => !Number.isFinite(value))
  if (at >= 0) throw notFinite('query', Math.floor(at / dimensions), at % dimensions, data[at]!)
}

/**
 * Creates the error for a score that is not finite. The queries are finite, so either the document
 * is not, or the product of the two vectors is too large.
 */
export function badScore(
  block: Block,
  document: number,
  dimensions: number,
  query: number,
): ScanError {
  const from = document * dimensions
  const vector = toFloats(block.data.subarray(from, from + dimensions))
  const row = block.firstRow + document
  const column = vector.findIndex((value) => !Number.isFinite(value))
  if (column >= 0) return notFinite('document', row, column, vector[column]!)
  return new ScanError(
    'BAD_VECTOR',
    `query row ${query} and document row ${row}: the inner product is too large for float32`,
  )
}

function notFinite(name: string, row: number, column: number, value: number): ScanError {
  return new ScanError(
    'BAD_VECTOR',
    `${name} row ${row}, column ${column} is ${value}; vectors must be finite`,
  )
}

/**
 * An error of a scanner: the code and message of a `KithError`, into which the search converts it.
 * Scanners also run in worker threads, and loading @kith/core for its error class would almost
 * double the start time of a thread.
 */
export class ScanError extends Error {
  /** Makes the worker pool convert this error to a `KithError` when it leaves a thread. */
  override readonly name = 'KithError'

  constructor(
    readonly code: KithErrorCode,
    message: string,
  ) {
    super(message)
  }
}

/** Converts numbers to float32; returns a Float32Array unchanged, and decodes half precision. */
export function toFloats(data: Float32Array | Uint16Array): Float32Array {
  if (data instanceof Float32Array) return data
  const table = halfTable()
  return Float32Array.from(data, (bits) => table[bits]!)
}
