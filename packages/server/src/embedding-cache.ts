import { createHash } from 'node:crypto'
import type { Role } from '@kith/encoder'
import { LRUCache } from 'lru-cache'

/** The embedding of a text, and its length in tokens. */
export interface EmbeddedText {
  vector: Float32Array
  /** Tokens that the model saw. */
  tokens: number
  /** Whether the text had more of them. */
  cut: boolean
}

/** Bytes of an entry besides its numbers: objects, its key, its place in the map. */
const OVERHEAD = 400

/** Embeddings by role and text; the least recently used make room for new ones. */
export class EmbeddingCache {
  readonly #entries: LRUCache<string, EmbeddedText> | undefined

  /** @param most Bytes that it may take; 0 keeps nothing. */
  constructor(most: number) {
    const maxSize = Math.floor(most)
    if (maxSize > 0) this.#entries = new LRUCache({ maxSize, sizeCalculation: bytesOf })
  }

  get size(): number {
    return this.#entries?.size ?? 0
  }

  get(key: string): EmbeddedText | undefined {
    return this.#entries?.get(key)
  }

  set(key: string, entry: EmbeddedText): void {
    this.#entries?.set(key, entry)
  }
}

/** The key of a text: its hash, so that long texts are not kept. */
export function keyOf(text: string, role: Role): string {
  return createHash('sha256').update(role).update('\0').update(text).digest('base64')
}

function bytesOf({ vector }: EmbeddedText): number {
  return vector.byteLength + OVERHEAD
}
