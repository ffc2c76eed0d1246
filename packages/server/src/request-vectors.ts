import { randomBytes } from 'node:crypto'
import { endianness } from 'node:os'

/** Numbers of a block of memory. */
const BLOCK = 16_384

/** Names that no client can guess, so that no text is taken for a vector. */
const prefix = randomBytes(16).toString('hex')

/**
 * The vectors of one request, by their placeholder names in its JSON. They lie together in
 * blocks of memory: one for each vector would cost more than reading it.
 */
export class RequestVectors {
  readonly #named: Float32Array[] = []
  #block = Buffer.alloc(0)
  #used = 0

  /** Gives a vector a name. */
  name(vector: Float32Array): string {
    return prefix + (this.#named.push(vector) - 1)
  }

  /** The vector that a text is the name of, if any. */
  named(text: string): Float32Array | undefined {
    return text.startsWith(prefix) ? this.#named[Number(text.slice(prefix.length))] : undefined
  }

  /** A copy of some numbers. */
  copy(numbers: Float32Array): Float32Array {
    this.#reserve(numbers.byteLength)
    const vector = this.#take(numbers.byteLength)
    vector.set(numbers)
    return vector
  }

  /** The numbers whose little-endian float32 a text has as base64; undefined if it has none. */
  fromBase64(text: string): Float32Array | undefined {
    const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
    const characters = text.length - padding
    const bytes = Math.floor((characters * 3) / 4)
    // A single character behind groups of four is no base64, and would hide one that was skipped.
    if (bytes % 4 !== 0 || characters % 4 === 1) return undefined
    this.#reserve(bytes)
    // Characters that are not base64 are skipped, so that too few bytes come out.
    if (this.#block.write(text, this.#used, bytes, 'base64') !== bytes) return undefined
    if (endianness() === 'BE') this.#block.subarray(this.#used, this.#used + bytes).swap32()
    return this.#take(bytes)
  }

  /** Makes room; it may have anything in it, and is handed out only once it is overwritten. */
  #reserve(bytes: number): void {
    if (this.#used + bytes <= this.#block.length) return
    this.#block = Buffer.allocUnsafeSlow(Math.max(bytes, BLOCK * 4))
    this.#used = 0
  }

  #take(bytes: number): Float32Array {
    const vector = new Float32Array(this.#block.buffer, this.#used, bytes / 4)
    this.#used += bytes
    return vector
  }
}
