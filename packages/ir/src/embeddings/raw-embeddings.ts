import { closeSync } from 'node:fs'
import { asFileError, openDescriptor, POSITIONS } from '@kith/base'
import { halfTable } from '@kith/base/half'
import { KithError } from '@kith/core'
import type { EmbeddingIds } from './embedding-ids.ts'
import type { FileEmbeddings } from './embeddings.ts'
import { MemoryEmbeddings } from './memory-embeddings.ts'
import { type RawLayout, RawReader } from './raw-rows.ts'
import { readShared } from './read-shared.ts'
import { RowEmbeddings } from './row-embeddings.ts'

/** How rows are opened. */
export interface RawOptions {
  /** Bytes that may be loaded into memory. */
  memory: number
  /** Whether rows that are loaded are checked to be finite. */
  checked: boolean
}

/** Opens rows at known positions: all in memory where they fit the budget, else read as needed. */
export async function openRaw(
  layout: RawLayout,
  ids: EmbeddingIds,
  { memory: budget, checked }: RawOptions,
): Promise<FileEmbeddings> {
  const { file, rows, dimensions, stored, counted } = layout
  const descriptor = openDescriptor(file, POSITIONS)
  if (rows * dimensions * (stored === 'f16' ? 2 : 4) > budget) {
    return new DiskEmbeddings(layout, descriptor, ids)
  }
  try {
    const memory = sharedArray(rows * dimensions, stored === 'f16' ? 'f16' : 'f32')
    // Doubles become floats on the way, and counts stand between rows: both need a copy.
    if (stored === 'f64' || counted) new RawReader(layout, descriptor).read(0, rows, memory, 0)
    else await readShared(layout, descriptor, memory, checked)
    return new MemoryEmbeddings(memory, dimensions, ids)
  } catch (error) {
    throw asFileError(file, error)
  } finally {
    closeSync(descriptor)
  }
}

/** An array that worker threads can share. */
export function sharedArray(length: number, type: 'f16' | 'f32'): Float32Array | Uint16Array {
  try {
    return type === 'f16'
      ? new Uint16Array(new SharedArrayBuffer(length * 2))
      : new Float32Array(new SharedArrayBuffer(length * 4))
  } catch {
    const bytes = length * (type === 'f16' ? 2 : 4)
    throw new KithError('OUT_OF_MEMORY', `no memory for embeddings of ${bytes} bytes`)
  }
}

/** Embeddings whose rows are read from the file at each call. */
class DiskEmbeddings extends RowEmbeddings {
  readonly memory = undefined
  readonly #reader: RawReader
  #halves = new Uint16Array(0)
  #open = true

  constructor(layout: RawLayout, descriptor: number, ids: EmbeddingIds) {
    super(layout.rows, layout.dimensions, layout.stored === 'f16' ? 'f16' : 'f32', ids)
    this.#reader = new RawReader(layout, descriptor)
  }

  async close(): Promise<void> {
    if (this.#open) closeSync(this.#reader.descriptor)
    this.#open = false
  }

  protected copy(from: number, to: number, into: Float32Array, at: number): void {
    const { file } = this.#reader.layout
    if (!this.#open) throw new KithError('CLOSED', `${file}: read after it was closed`)
    if (this.type === 'f32') {
      this.#reader.read(from, to, into, at)
      return
    }
    const length = (to - from) * this.dimensions
    if (this.#halves.length < length) this.#halves = new Uint16Array(length)
    this.#reader.read(from, to, this.#halves, 0)
    const values = halfTable()
    for (let i = 0; i < length; i++) into[at + i] = values[this.#halves[i]!]!
  }
}
