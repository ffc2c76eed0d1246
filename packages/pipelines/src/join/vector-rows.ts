import type { Vectors } from '@kith/core'
import { type Embeddings, openEmbeddings } from '@kith/ir'
import { checkFinite, halfTable } from '@kith/ir/internal'

/** Embeddings in a form that can be handed to a worker thread. */
export interface VectorSource {
  file: string
  dimensions: number
  /** All rows, on shared memory; without it the worker opens the file itself. */
  memory: Float32Array | Uint16Array | undefined
}

/** How embeddings that were opened here are opened elsewhere. */
export function vectorSource(file: string, { dimensions, memory }: Embeddings): VectorSource {
  return { file, dimensions, memory }
}

/** Rows of embeddings, wherever they lie. */
export class VectorRows {
  readonly dimensions: number
  readonly #memory: Float32Array | Uint16Array | undefined
  readonly #file: Embeddings | undefined
  readonly #name: string

  private constructor(source: VectorSource, file: Embeddings | undefined) {
    this.dimensions = source.dimensions
    this.#memory = source.memory
    this.#file = file
    this.#name = source.file
  }

  static async open(source: VectorSource): Promise<VectorRows> {
    const { file, dimensions, memory } = source
    return new VectorRows(
      source,
      memory ? undefined : await openEmbeddings(file, { dimensions, memory: 0 }),
    )
  }

  /** One row; where it lies, if that is float32 in memory. */
  row(index: number): Float32Array {
    if (!this.#memory) return this.#file!.read(index, index + 1)
    const row = this.#memory.subarray(index * this.dimensions, (index + 1) * this.dimensions)
    if (row instanceof Float32Array) return row
    const values = halfTable()
    return Float32Array.from(row, (half) => values[half]!)
  }

  /** Some rows, which the kernel copies from where they lie, if that is float32 in memory. */
  chosen(indices: Uint32Array): Vectors {
    const { dimensions } = this
    const data = this.#memory
    if (!(data instanceof Float32Array)) return Array.from(indices, (index) => this.row(index))
    return { data, rows: data.length / dimensions, dimensions, chosen: indices }
  }

  /** Throws where a row of a file has a number that is not finite. */
  check(index: number): void {
    if (this.#name !== '')
      checkFinite({ file: this.#name, dimensions: this.dimensions }, this.row(index), index)
  }

  async close(): Promise<void> {
    await this.#file?.close()
  }
}
