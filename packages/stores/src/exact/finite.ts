import { halfTable } from '@kith/base/half'
import type { KithErrorCode, Matrix } from '@kith/core'
import type { Block } from './scanner.ts'

/** Throws if a query has a number that is NaN or infinite. */
export function checkQueries({ data, rows, dimensions }: Matrix): void {
  const at = data.subarray(0, rows * dimensions).findIndex((value) => !Number.isFinite(value))
  if (at >= 0) throw notFinite('query', Math.floor(at / dimensions), at % dimensions, data[at]!)
}

/**
 * The error for a score that is not finite. As queries are known to be finite,
 * either the document is not, or the two are too large to be multiplied.
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
 * The error of a scanner: code and message of a `KithError`, which the search makes of it.
 * Scanners also run in worker threads, and a thread that loaded @kith/core for its error class
 * would take almost twice as long to start.
 */
export class ScanError extends Error {
  /** Makes the pool of workers turn it into a `KithError` on its way out of a thread. */
  override readonly name = 'KithError'

  constructor(
    readonly code: KithErrorCode,
    message: string,
  ) {
    super(message)
  }
}

/** Numbers as float32: themselves, or decoded from half precision. */
export function toFloats(data: Float32Array | Uint16Array): Float32Array {
  if (data instanceof Float32Array) return data
  const table = halfTable()
  return Float32Array.from(data, (bits) => table[bits]!)
}
