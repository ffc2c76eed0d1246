/** A matrix of numbers, or a part of one: row i starts at `at` + i · stride. */
export interface Block<T extends Float32Array | Uint32Array> {
  data: T
  at: number
  stride: number
}

/** Copies the first rows and columns of one matrix into another. */
export function copyBlock<T extends Float32Array | Uint32Array>(
  from: Block<T>,
  to: Block<T>,
  rows: number,
  columns: number,
): void {
  for (let i = 0; i < rows; i++) {
    const start = from.at + i * from.stride
    to.data.set(from.data.subarray(start, start + columns), to.at + i * to.stride)
  }
}
