import { wasm } from '../generated/simd.ts'
import type { IdList } from './id-list.ts'

/**
 * The exports of the compiled module; positions are byte offsets. assembly/ documents each export.
 */
interface Exports {
  splitRows(
    from: number,
    end: number,
    isTrec: number,
    most: number,
    ids: number,
    starts: number,
    scores: number,
    fields: number,
    places: number,
    before: number,
    changes: number,
  ): number
  readTexts(
    from: number,
    end: number,
    isTsv: number,
    most: number,
    records: number,
    units: number,
  ): number
  textBytes(): number
  textLines(): number
  byteCount(): number
  lineCount(): number
  groupCount(): number
  openScoreCount(): number
  findQueries(
    from: number,
    end: number,
    query: number,
    length: number,
    isTrec: number,
    changes: number,
    most: number,
  ): number
  checkRankings(
    ids: number,
    starts: number,
    scores: number,
    firsts: number,
    queries: number,
    slots: number,
    verdicts: number,
  ): void
  formatRankings(
    ranking: number,
    row: number,
    rankings: number,
    count: number,
    ids: number,
    starts: number,
    rows: number,
    scores: number,
    separator: number,
    suffix: number,
    suffixEnd: number,
    out: number,
    outEnd: number,
  ): number
  stoppedRow(): number
  formattedTo(): number
  stopReason(): number
}

let compiled: WebAssembly.Module | undefined

/** The first free byte offset; the module's table of powers of ten is below it. */
const START = 4096
const PAGE = 2 ** 16

/**
 * The compiled functions for lines of runs and texts, with their own memory: threads share the
 * compiled code, while each of them would compile JavaScript again.
 */
export class LineKernel {
  readonly exports: Exports
  readonly #memory = new WebAssembly.Memory({ initial: 1 })
  /** Views of the whole memory; growing replaces them. */
  bytes = Buffer.from(this.#memory.buffer)
  units = new Uint16Array(this.#memory.buffer)
  words = new Uint32Array(this.#memory.buffer)
  doubles = new Float64Array(this.#memory.buffer)
  #end = START

  constructor() {
    compiled ??= new WebAssembly.Module(Buffer.from(wasm, 'hex'))
    const instance = new WebAssembly.Instance(compiled, { env: { memory: this.#memory } })
    this.exports = instance.exports as unknown as Exports
  }

  /** The end of the memory in use. */
  get end(): number {
    return this.#end
  }

  /** Releases the memory from an address on, or all of it. */
  release(end = START): void {
    this.#end = end
  }

  /** Reserves some bytes; returns their address, a multiple of 8. */
  take(bytes: number): number {
    const at = this.#end
    this.#end = at + Math.ceil(bytes / 8) * 8
    if (this.#end > this.bytes.length) {
      this.#memory.grow(Math.ceil((this.#end - this.bytes.length) / PAGE))
      const { buffer } = this.#memory
      this.bytes = Buffer.from(buffer)
      this.units = new Uint16Array(buffer)
      this.words = new Uint32Array(buffer)
      this.doubles = new Float64Array(buffer)
    }
    return at
  }

  /** Copies bytes to the memory; returns their address. */
  place(bytes: Uint8Array): number {
    const at = this.take(bytes.length)
    this.bytes.set(bytes, at)
    return at
  }

  /** Copies numbers to the memory; returns their address. */
  placeWords(numbers: ArrayLike<number>): number {
    const at = this.take(numbers.length * 4)
    this.words.set(numbers, at / 4)
    return at
  }

  /** Copies numbers to the memory; returns their address. */
  placeDoubles(numbers: Float64Array): number {
    const at = this.take(numbers.length * 8)
    this.doubles.set(numbers, at / 8)
    return at
  }

  /**
   * Copies the ids of a list from index `from` up to `to` to the memory. Returns the addresses of
   * their starts, and of the list's first byte, which is before the memory if `from` is large.
   */
  placeIds(list: IdList, from: number, to: number): { ids: number; starts: number } {
    const { bytes, starts } = list.range(from, to)
    return { ids: this.place(bytes) - starts[0]!, starts: this.placeWords(starts) }
  }
}
