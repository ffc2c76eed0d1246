import { KithError } from '@kith/core'

/** Documents in memory; on a SharedArrayBuffer, workers read them where they are. */
export interface MemoryDocuments {
  readonly rows: number
  readonly dimensions: number
  /** float32, or half-precision floats as 16-bit integers, row after row. */
  readonly memory: Float32Array | Uint16Array
}

/** Documents that are read by position, such as documents of a file larger than memory. */
export interface StoredDocuments {
  readonly rows: number
  readonly dimensions: number
  /** How they are stored; `read` returns float32 either way. */
  readonly type?: 'f16' | 'f32'
  readonly memory?: Float32Array | Uint16Array | undefined
  /** The numbers of rows `from` to `to` (exclusive), written to `into` or elsewhere. */
  read(
    from: number,
    to: number,
    into: Float32Array<SharedArrayBuffer>,
  ): Float32Array | Promise<Float32Array>
}

/** Documents to search. The embeddings that `@kith/ir` opens are one. */
export type DocumentSource = MemoryDocuments | StoredDocuments

/** Rows are numbered in 32 bits. */
const MOST_ROWS = 2 ** 32 - 1

/** Reads rows of a source: where they lie if readers can see that, else into a buffer. */
export class DocumentReader {
  readonly rows: number
  readonly dimensions: number
  readonly #source: DocumentSource
  /** Whether the blocks go to other threads, which see shared memory only. */
  readonly #abroad: boolean

  constructor(source: DocumentSource, abroad: boolean) {
    this.rows = source.rows
    this.dimensions = source.dimensions
    this.#source = source
    this.#abroad = abroad
  }

  /** Whether `read` returns a part of memory and needs no buffer. */
  get inPlace(): boolean {
    const { memory } = this.#source
    if (!memory) return false
    return !this.#abroad || memory.buffer instanceof SharedArrayBuffer
  }

  /** The numbers of some rows; `buffer` has room for them as float32 unless reading is in place. */
  async read(
    from: number,
    to: number,
    buffer: SharedArrayBuffer,
  ): Promise<Float32Array | Uint16Array> {
    const { dimensions, memory } = this.#source
    const length = (to - from) * dimensions
    if (memory) {
      const part = memory.subarray(from * dimensions, to * dimensions)
      if (this.inPlace) return part
      const copy = part instanceof Float32Array ? new Float32Array(buffer) : new Uint16Array(buffer)
      copy.set(part)
      return copy.subarray(0, length)
    }
    const into = new Float32Array(buffer, 0, length)
    const numbers = await (this.#source as StoredDocuments).read(from, to, into)
    if (numbers.length !== length) {
      throw new KithError(
        'BAD_SHAPE',
        `document rows ${from} to ${to}: expected ${length} numbers (${dimensions} per row), got ${numbers.length}`,
      )
    }
    if (numbers.buffer !== buffer) into.set(numbers)
    return into
  }
}

/** Throws if a source is not of a form that can be searched. */
export function checkDocuments(source: DocumentSource): void {
  const { rows, dimensions, memory } = source
  for (const [name, value] of Object.entries({ rows, dimensions })) {
    if (Number.isSafeInteger(value) && value >= 0 && value <= MOST_ROWS) continue
    throw new KithError(
      'BAD_SHAPE',
      `documents: ${name} must be a whole number from 0 to ${MOST_ROWS}, got ${value}`,
    )
  }
  if (!memory && !('read' in source && typeof source.read === 'function')) {
    throw new KithError('BAD_INPUT', 'documents need the property memory or a function read')
  }
  if (memory && !(memory instanceof Float32Array || memory instanceof Uint16Array)) {
    throw new KithError('BAD_INPUT', 'documents: memory must be a Float32Array or a Uint16Array')
  }
  if (memory && memory.length < rows * dimensions) {
    throw new KithError(
      'BAD_SHAPE',
      `${rows} documents of ${dimensions} dimensions need ${rows * dimensions} numbers, but memory has ${memory.length}`,
    )
  }
}
