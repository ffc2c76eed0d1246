import { randomBytes } from 'node:crypto'
import { endianness } from 'node:os'
import { freeMemory } from './free-memory.ts'

/** Numbers per block of memory. */
const BLOCK = 16_384

/** A prefix of names that no client can guess, so that no text is mistaken for a vector. */
const prefix = randomBytes(16).toString('hex')

/**
 * The vectors of one request, by their placeholder names in its JSON. Vectors share blocks of
 * memory: a block per vector would cost more than reading the vector.
 */
export class RequestVectors {
  readonly #named: Float32Array[] = []
  readonly #blocks: Buffer[] = []
  #block = Buffer.alloc(0)
  #used = 0

  /** Gives a vector a name. */
  name(vector: Float32Array): string {
    return prefix + (this.#named.push(vector) - 1)
  }

  /** Returns the vector with a name; undefined if the text is not such a name. */
  named(text: string): Float32Array | undefined {
    return text.startsWith(prefix) ? this.#named[Number(text.slice(prefix.length))] : undefined
  }

  /** Copies some numbers. */
  copy(numbers: Float32Array): Float32Array {
    this.#reserve(numbers.byteLength)
    const vector = this.#take(numbers.byteLength)
    vector.set(numbers)
    return vector
  }

  /**
   * Decodes base64 of little-endian float32 numbers; returns undefined if the text is not such
   * base64.
   */
  fromBase64(text: string): Float32Array | undefined {
    const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
    const characters = text.length - padding
    const bytes = Math.floor((characters * 3) / 4)
    // A single character after groups of four is not base64, and would compensate for a skipped
    // character.
    if (bytes % 4 !== 0 || characters % 4 === 1) return undefined
    this.#reserve(bytes)
    // Characters that are not base64 are skipped, so that too few bytes are decoded.
    if (this.#block.write(text, this.#used, bytes, 'base64') !== bytes) return undefined
    if (endianness() === 'BE') this.#block.subarray(this.#used, this.#used + bytes).swap32()
    return this.#take(bytes)
  }

  /** Frees the memory of all vectors. */
  free(): void {
    freeMemory(this.#blocks)
  }

  /** Reserves memory. It is not cleared: callers overwrite it before they return it. */
  #reserve(bytes: number): void {
    if (this.#used + bytes <= this.#block.length) return
    this.#block = Buffer.allocUnsafeSlow(Math.max(bytes, BLOCK * 4))
    this.#blocks.push(this.#block)
    this.#used = 0
  }

  #take(bytes: number): Float32Array {
    const vector = new Float32Array(this.#block.buffer, this.#used, bytes / 4)
    this.#used += bytes
    return vector
  }
}
