import { KithError } from '../error.ts'
import { Scratch } from './scratch.ts'

const PAGE = 1 << 16

/** Memory below this address belongs to the compiler. */
const BASE = PAGE

/**
 * The memory of a compiled kernel: room is taken in a row, and given back in one go. Pointers are
 * byte offsets, multiples of 16.
 */
export class WasmMemory {
  readonly memory = new WebAssembly.Memory({ initial: 1 })
  /** Arrays for what leaves the memory, until the engine is released. */
  readonly scratch = new Scratch()
  /** Views of the whole memory; growing replaces them. */
  floats = new Float32Array(this.memory.buffer)
  integers = new Uint32Array(this.memory.buffer)
  #doubles = new Float64Array(this.memory.buffer)
  /** The size of the memory: getting its buffer is a slow call. */
  bytes = PAGE
  #end = BASE

  /** The end of the memory in use. */
  get end(): number {
    return this.#end
  }

  /** Gives back the room behind an address that was the end, or all of it. */
  release(end = BASE): void {
    this.#end = end
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

  /** A copy of some floats, in an array of the scratch. */
  floatsAt(pointer: number, count: number): Float32Array {
    const { floats } = this
    const from = pointer / 4
    const copy = this.scratch.floats(count)
    for (let i = 0; i < count; i++) copy[i] = floats[from + i]!
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
