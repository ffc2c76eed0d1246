import type { RowTable } from '../models/query-model.ts'

/** The gradients of a step, summed over its batches. */
export class Gradients {
  /** Rows of the table with a gradient. */
  readonly rows = new Set<number>()
  readonly #dense: ReadonlyMap<string, Float32Array>

  /**
   * @param sizes The size of each weight.
   * @param table The weight whose gradients are added row by row.
   */
  constructor(
    sizes: ReadonlyMap<string, number>,
    readonly table?: RowTable,
  ) {
    this.#dense = new Map([...sizes].map(([name, size]) => [name, new Float32Array(size)]))
  }

  /** Returns a weight's gradient. */
  of(name: string): Float32Array {
    return this.#dense.get(name)!
  }

  /** Adds to a weight's gradient. */
  add(name: string, gradient: Float32Array): void {
    const sum = this.of(name)
    for (let i = 0; i < sum.length; i++) sum[i]! += gradient[i]!
  }

  /** Adds gradients to rows of the table; a row may occur more than once. */
  addRows(rows: Int32Array, gradients: Float32Array): void {
    const { name, width } = this.table!
    const sum = this.of(name)
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!
      this.rows.add(row)
      for (let from = i * width, to = row * width, j = 0; j < width; j++) {
        sum[to + j]! += gradients[from + j]!
      }
    }
  }

  /** Returns the norm of all gradients as one vector. */
  norm(): number {
    let sum = 0
    for (const [name, gradient] of this.#dense) {
      if (name !== this.table?.name) sum += squares(gradient)
    }
    for (const part of this.#tableRows()) sum += squares(part)
    return Math.sqrt(sum)
  }

  /**
   * Zeroes the gradients of the table's used rows; other gradients are overwritten by the next
   * step.
   */
  clearRows(): void {
    for (const part of this.#tableRows()) part.fill(0)
    this.rows.clear()
  }

  *#tableRows(): Generator<Float32Array> {
    if (!this.table) return
    const { name, width } = this.table
    for (const row of this.rows) yield this.of(name).subarray(row * width, (row + 1) * width)
  }
}

function squares(values: Float32Array): number {
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += values[i]! * values[i]!
  return sum
}
