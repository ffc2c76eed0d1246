import { createHash } from 'node:crypto'
import type { Role } from '@kith/encoder'

/** What is known of a text. */
export interface EmbeddedText {
  vector: Float32Array
  /** Tokens that the model saw. */
  tokens: number
}

/** What an entry takes besides its numbers: objects, its key, its place in the map. */
const OVERHEAD = 400

/** Embeddings by what was embedded; the least recently used make room for new ones. */
export class EmbeddingCache {
  readonly #entries = new Map<string, EmbeddedText>()
  readonly #most: number
  #bytes = 0

  /** @param most Bytes that it may take. */
  constructor(most: number) {
    this.#most = most
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: string): EmbeddedText | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    // A map lists its keys in the order in which they were set.
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry
  }

  set(key: string, entry: EmbeddedText): void {
    this.#remove(key)
    this.#entries.set(key, entry)
    this.#bytes += bytesOf(entry)
    while (this.#bytes > this.#most) this.#remove(this.#entries.keys().next().value!)
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    this.#entries.delete(key)
    this.#bytes -= bytesOf(entry)
  }
}

/** The key of a text: its hash, so that long texts are not kept. */
export function keyOf(text: string, role: Role): string {
  return createHash('sha256').update(role).update('\0').update(text).digest('base64')
}

function bytesOf({ vector }: EmbeddedText): number {
  return vector.byteLength + OVERHEAD
}
