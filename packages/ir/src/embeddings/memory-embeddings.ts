import { halfTable } from '@kith/base/half'
import type { EmbeddingIds } from './embedding-ids.ts'
import { RowEmbeddings } from './row-embeddings.ts'

/** Embeddings that are all in memory, shared with worker threads. */
export class MemoryEmbeddings extends RowEmbeddings {
  constructor(
    readonly memory: Float32Array | Uint16Array,
    dimensions: number,
    ids: EmbeddingIds,
  ) {
    const type = memory instanceof Uint16Array ? 'f16' : 'f32'
    super(memory.length / dimensions, dimensions, type, ids)
  }

  async close(): Promise<void> {}

  protected copy(from: number, to: number, into: Float32Array, at: number): void {
    const source = this.memory.subarray(from * this.dimensions, to * this.dimensions)
    if (source instanceof Float32Array) into.set(source, at)
    else {
      const values = halfTable()
      for (let i = 0; i < source.length; i++) into[at + i] = values[source[i]!]!
    }
  }
}
