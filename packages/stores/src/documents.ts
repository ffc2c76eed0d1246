import { KithError } from '@kith/core'

/** Documents in memory; worker threads read a SharedArrayBuffer without copying it. */
export interface MemoryDocuments {
  readonly rows: number
  readonly dimensions: number
  /** float32, or half-precision floats as 16-bit integers, row after row. */
  readonly memory: Float32Array | Uint16Array
}

/** Documents that are read by position, for example from a file larger than memory. */
export interface StoredDocuments {
  readonly rows: number
  readonly dimensions: number
  /** The number type in storage; `read` returns float32 for both types. */
  readonly type?: 'f16' | 'f32'
  readonly memory?: Float32Array | Uint16Array | undefined
  /** Reads the numbers of rows `from` to `to` (exclusive), into `into` or another array. */
  read(
    from: number,
    to: number,
    into: Float32Array<SharedArrayBuffer>,
  ): Float32Array | Promise<Float32Array>
}

/** Documents to search, for example the embeddings that `@kith/ir` opens. */
export type DocumentSource = MemoryDocuments | StoredDocuments

/** Maximum number of rows: row numbers have 32 bits. */
const MOST_ROWS = 2 ** 32 - 1

/** Reads rows of a source: in place if the scanners can access its memory, else into a buffer. */
export class DocumentReader {
  readonly rows: number
  readonly dimensions: number
  readonly #source: DocumentSource
  /** Whether the blocks go to other threads, which can access only shared memory. */
  readonly #abroad: boolean

  constructor(source: DocumentSource, abroad: boolean) {
    this.rows = source.rows
    this.dimensions = source.dimensions
    this.#source = source
    this.#abroad = abroad
  }

  /** Whether `read` returns a view of the source's memory and needs no buffer. */
  get inPlace(): boolean {
    const { memory } = this.#source
    if (!memory) return false
    return !this.#abroad || memory.buffer instanceof SharedArrayBuffer
  }

  /** Reads rows `from` to `to`; unless reading is in place, `buffer` must hold them as float32. */
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

/** Throws if a source cannot be searched. */
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
