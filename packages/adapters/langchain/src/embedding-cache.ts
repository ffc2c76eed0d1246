import { KithError } from '@kith/core'
import type { EmbeddingsInterface } from '@langchain/core/embeddings'

/**
 * Wraps an `Embeddings` instance with a cache, so that documents that many queries find are
 * embedded once. Evicts the least recently used vectors.
 */
export class EmbeddingCache {
  readonly #embeddings: EmbeddingsInterface
  readonly #size: number
  readonly #kept = new Map<string, Float32Array>()

  /** @param size Maximum number of vectors in the cache. */
  constructor(embeddings: EmbeddingsInterface, size: number) {
    this.#embeddings = embeddings
    this.#size = size
  }

  /** Embeds a query. */
  async query(text: string): Promise<Float32Array> {
    // Models may embed a query differently than a document with the same text.
    const key = `q${text}`
    const known = this.#recall(key)
    if (known) return known
    const vector = toVector(await this.#embeddings.embedQuery(text), 'embedQuery')
    this.#keep(key, vector)
    return vector
  }

  /**
   * Embeds documents, in their order; documents that are not in the cache are embedded in one call.
   */
  async documents(texts: readonly string[]): Promise<Float32Array[]> {
    const found = new Map<string, Float32Array>()
    const missing = new Set<string>()
    for (const text of texts) {
      const known = this.#recall(`d${text}`)
      if (known) found.set(text, known)
      else missing.add(text)
    }
    const answers = missing.size > 0 ? await this.#embeddings.embedDocuments([...missing]) : []
    if (!Array.isArray(answers) || answers.length !== missing.size) {
      const count = Array.isArray(answers) ? answers.length : 'no'
      throw new KithError(
        'BAD_SHAPE',
        `embedDocuments must return ${missing.size} vectors, one per text, got ${count}`,
      )
    }
    for (const [i, text] of [...missing].entries()) {
      const vector = toVector(answers[i], 'embedDocuments')
      found.set(text, vector)
      this.#keep(`d${text}`, vector)
    }
    return texts.map((text) => found.get(text)!)
  }

  #recall(key: string): Float32Array | undefined {
    const vector = this.#kept.get(key)
    if (vector) {
      // A map lists its keys in the order of insertion: the first key is the oldest.
      this.#kept.delete(key)
      this.#kept.set(key, vector)
    }
    return vector
  }

  #keep(key: string, vector: Float32Array): void {
    this.#kept.set(key, vector)
    if (this.#kept.size > this.#size) this.#kept.delete(this.#kept.keys().next().value!)
  }
}

/**
 * Converts a vector to float32: half the memory of an array of numbers, and the type that the
 * method uses.
 */
function toVector(answer: unknown, method: string): Float32Array {
  if (Array.isArray(answer) || answer instanceof Float64Array) return Float32Array.from(answer)
  if (answer instanceof Float32Array) return answer
  throw new KithError('BAD_INPUT', `${method} must return vectors, got ${typeof answer}`)
}
