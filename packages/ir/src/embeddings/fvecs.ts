import { FileError, Header } from '@kith/base'
import type { RawLayout } from './raw-rows.ts'

/** Looks at an `.fvecs` file: each row is its dimension as an int32, then that many float32. */
export function fvecsLayout(file: string): RawLayout {
  return Header.read(file, (header) => {
    const dimensions = header.bytes(0, 4).readInt32LE()
    if (dimensions < 1)
      throw new FileError(file, 'byte 0', `the first row has ${dimensions} dimensions`)
    const stride = 4 + 4 * dimensions
    const rows = header.size / stride
    if (!Number.isInteger(rows)) {
      const problem = `${header.size} bytes are no whole number of rows of ${dimensions} dimensions`
      throw new FileError(file, '', problem)
    }
    return { file, offset: 0, rows, dimensions, stored: 'f32', counted: true }
  })
}

/** Rows as `.fvecs` holds them. */
export function fvecsRows(values: Float32Array, dimensions: number): Uint8Array {
  const rows = values.length / dimensions
  const words = new Float32Array(rows * (dimensions + 1))
  const counts = new Int32Array(words.buffer)
  for (let row = 0; row < rows; row++) {
    counts[row * (dimensions + 1)] = dimensions
    words.set(values.subarray(row * dimensions, (row + 1) * dimensions), row * (dimensions + 1) + 1)
  }
  return new Uint8Array(words.buffer)
}
