import type { Lists, Square } from './engine.ts'

/** A matrix of numbers, or a part of one: row i starts at `at` + i · stride. */
export interface Block<T extends Float32Array | Uint32Array> {
  data: T
  at: number
  stride: number
}

/** A copy of all rows of a square, to be put into an engine again. */
export function copySquare(square: Square): Lists<Float32Array> {
  const { data, stride } = square.view()
  return { data: data.slice(), stride }
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

/** Copies the entries of a square that some of its rows and columns, in a given order, have in common. */
export function copyChosen<T extends Float32Array | Uint32Array>(
  from: Block<T>,
  to: Block<T>,
  chosen: ArrayLike<number>,
): void {
  for (let i = 0; i < chosen.length; i++) {
    const line = from.at + chosen[i]! * from.stride
    const row = to.at + i * to.stride
    for (let j = 0; j < chosen.length; j++) to.data[row + j] = from.data[line + chosen[j]!]!
  }
}
