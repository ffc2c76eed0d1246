import { halfTable } from '@kith/base/half'
import type { Matrix } from '@kith/core'
import { type Embeddings, openEmbeddings } from '@kith/ir'
import { checkFinite } from '@kith/ir/internal'

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
  #scratch = new Float32Array(0)

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
    const { dimensions } = this
    const row = this.#memory.subarray(index * dimensions, (index + 1) * dimensions)
    return row instanceof Float32Array ? row : floatsOf(row, new Float32Array(dimensions), 0)
  }

  /**
   * Some rows, from where they lie if that is float32 in memory, else from memory that the next
   * call uses again.
   */
  chosen(indices: Uint32Array): Matrix {
    const { dimensions } = this
    const data = this.#memory
    if (data instanceof Float32Array) {
      return { data, rows: data.length / dimensions, dimensions, chosen: indices }
    }
    const size = indices.length * dimensions
    if (this.#scratch.length < size) this.#scratch = new Float32Array(size)
    const into = this.#scratch
    if (!data) this.#file!.gather(indices, into)
    else {
      indices.forEach((index, i) => {
        const from = index * dimensions
        floatsOf(data.subarray(from, from + dimensions), into, i * dimensions)
      })
    }
    return { data: into, rows: indices.length, dimensions }
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

/** Writes halves as floats, from index `at` on. */
function floatsOf(halves: Uint16Array, into: Float32Array, at: number): Float32Array {
  const values = halfTable()
  for (let i = 0; i < halves.length; i++) into[at + i] = values[halves[i]!]!
  return into
}
