import { KithError } from '../error.ts'

const PAGE = 1 << 16

/** Memory below this address belongs to the compiler. */
const BASE = PAGE

/** So many results are kept for the next call; a ranking takes fewer. */
const KEPT_RESULTS = 16

/**
 * The memory of a compiled kernel: room is taken in a row, and given back in one go. Pointers are
 * byte offsets, multiples of 16.
 */
export class WasmMemory {
  readonly memory = new WebAssembly.Memory({ initial: 1 })
  /** Views of the whole memory; growing replaces them. */
  floats = new Float32Array(this.memory.buffer)
  integers = new Uint32Array(this.memory.buffer)
  #doubles = new Float64Array(this.memory.buffer)
  /** The size of the memory: getting its buffer is a slow call. */
  bytes = PAGE
  #end = BASE
  /** The results of this call and of earlier ones. */
  readonly #results: Float64Array[] = []
  #taken = 0

  /** The end of the memory in use. */
  get end(): number {
    return this.#end
  }

  /** Gives back the room behind an address that was the end. */
  release(end: number): void {
    this.#end = end
  }

  /** Gives back all room, and the results. */
  clear(): void {
    this.#end = BASE
    this.#taken = 0
  }

  /** Reserves some bytes, which are not cleared. */
  take(bytes: number): number {
    const start = this.#end
    this.#end = start + Math.ceil(bytes / 16) * 16
    if (this.#end > this.bytes) this.#grow(start)
    return start
  }

  /** Room for some numbers of 4 bytes. */
  takeWords(count: number): number {
    return this.take(count * 4)
  }

  /** Room for some numbers of 4 bytes, all 0. */
  takeZeros(count: number): number {
    const start = this.takeWords(count)
    this.floats.fill(0, start / 4, start / 4 + count)
    return start
  }

  /** Releases the last reserved bytes if they start at this address and have this length. */
  free(start: number, bytes: number): void {
    if (start + Math.ceil(bytes / 16) * 16 === this.#end) this.#end = start
  }

  /**
   * Copies floats, so many steps apart, to an array that is the caller's until all is released. The
   * next call gets the same array if the length fits: V8 keeps typed arrays outside its heap, where
   * making and collecting one takes longer than filling it.
   */
  everyFloat(pointer: number, count: number, step = 1): Float64Array {
    const { floats } = this
    const place = this.#taken++
    let copy = this.#results[place]
    if (copy?.length !== count) {
      copy = new Float64Array(count)
      if (place < KEPT_RESULTS) this.#results[place] = copy
    }
    const from = pointer / 4
    for (let i = 0; i < count; i++) copy[i] = floats[from + i * step]!
    return copy
  }

  /** A copy of some doubles. */
  doubles(pointer: number, count: number): Float64Array {
    return this.#doubles.slice(pointer / 8, pointer / 8 + count)
  }

  /** Writes some doubles. */
  putDoubles(pointer: number, values: Float64Array): void {
    this.#doubles.set(values, pointer / 8)
  }

  #grow(start: number): void {
    const bytes = this.#end
    try {
      this.memory.grow(Math.ceil((bytes - this.bytes) / PAGE))
    } catch {
      this.#end = start
      throw new KithError(
        'OUT_OF_MEMORY',
        `the candidates need ${bytes} bytes, which is more than available; lower contextSize`,
      )
    }
    this.floats = new Float32Array(this.memory.buffer)
    this.integers = new Uint32Array(this.memory.buffer)
    this.#doubles = new Float64Array(this.memory.buffer)
    this.bytes = this.floats.byteLength
  }
}
