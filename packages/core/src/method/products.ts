import type { Products } from '../kernel/engine.ts'
import type { Matrix } from '../matrix.ts'

/** The inner products of every row with row 0, the query's, and with itself. */
export function products({ data, rows, dimensions }: Matrix): Products {
  const toQuery = new Float64Array(rows)
  const squares = new Float64Array(rows)
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < dimensions; j++) {
      const value = data[i * dimensions + j]!
      toQuery[i]! += value * data[j]!
      squares[i]! += value * value
    }
  }
  return { toQuery, squares }
}
