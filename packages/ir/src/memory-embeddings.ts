import type { EmbeddingIds } from './embedding-ids.ts'
import { checkRange, checkRow, type Embeddings, target } from './embeddings.ts'
import { halfTable } from './half.ts'

/** Embeddings that are all in memory, shared with worker threads. */
export class MemoryEmbeddings implements Embeddings {
  readonly rows: number
  readonly type: 'f16' | 'f32'
  readonly #ids: EmbeddingIds

  constructor(
    readonly memory: Float32Array | Uint16Array,
    readonly dimensions: number,
    ids: EmbeddingIds,
  ) {
    this.rows = memory.length / dimensions
    this.type = memory instanceof Uint16Array ? 'f16' : 'f32'
    this.#ids = ids
  }

  idOf(row: number): string {
    checkRow(this, row)
    return this.#ids.idOf(row)
  }

  rowOf(id: string): number | undefined {
    return this.#ids.rowOf(id)
  }

  read(from: number, to: number, into?: Float32Array): Float32Array {
    checkRange(this, from, to)
    const result = target((to - from) * this.dimensions, into)
    this.#copy(from, to, result, 0)
    return result
  }

  gather(rows: ArrayLike<number>, into?: Float32Array): Float32Array {
    const result = target(rows.length * this.dimensions, into)
    for (let i = 0; i < rows.length; i++) {
      checkRow(this, rows[i]!)
      this.#copy(rows[i]!, rows[i]! + 1, result, i * this.dimensions)
    }
    return result
  }

  close(): void {}

  #copy(from: number, to: number, into: Float32Array, at: number): void {
    const source = this.memory.subarray(from * this.dimensions, to * this.dimensions)
    if (source instanceof Float32Array) into.set(source, at)
    else {
      const values = halfTable()
      for (let i = 0; i < source.length; i++) into[at + i] = values[source[i]!]!
    }
  }
}
