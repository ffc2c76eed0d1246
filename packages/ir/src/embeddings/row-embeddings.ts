import type { EmbeddingIds } from './embedding-ids.ts'
import { checkRange, checkRow, type FileEmbeddings, target } from './embeddings.ts'

/** Embeddings with ids and with rows read by number; subclasses say where the rows lie. */
export abstract class RowEmbeddings implements FileEmbeddings {
  abstract readonly memory: Float32Array | Uint16Array | undefined
  constructor(
    readonly rows: number,
    readonly dimensions: number,
    readonly type: 'f16' | 'f32',
    readonly ids: EmbeddingIds,
  ) {}

  /** Writes the rows from `from` up to `to` to `into`, from `at` on. */
  protected abstract copy(from: number, to: number, into: Float32Array, at: number): void

  abstract close(): Promise<void>

  /** As `close`, for `await using`. */
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
