import { type DocumentVectors, innerProducts, type TrainingQuery } from './training-query.ts'

/**
 * The retrieved documents that are not used as negatives: many of them are relevant, but not
 * labeled.
 */
export interface NegativeSettings {
  /** Number of top candidates to leave out. */
  skip: number
  /**
   * Leaves out documents that score above this fraction of the best relevant document's score;
   * null: none.
   */
  negativesBelow: number | null
}

/** Removes probably relevant documents from the candidates; labeled documents stay. */
export class NegativeFilter {
  /** Whether the filter removes anything. */
  readonly active: boolean
  /** Whether the filter uses scores, which need the query's embedding. */
  readonly needsEmbedding: boolean
  readonly #documents: DocumentVectors
  readonly #settings: NegativeSettings

  constructor(documents: DocumentVectors, settings: NegativeSettings) {
    this.#documents = documents
    this.#settings = settings
    this.needsEmbedding = settings.negativesBelow !== null
    this.active = settings.skip > 0 || this.needsEmbedding
  }

  /** Returns the candidates that remain of a query's retrieved documents, in their order. */
  apply(
    { relevant, labels }: TrainingQuery,
    retrieved: ArrayLike<number>,
    embedding: Float32Array | undefined,
  ): Uint32Array {
    const labeled = new Set([...relevant, ...(labels?.rows ?? [])])
    const rest = Array.from(retrieved).filter(
      (row, rank) => rank >= this.#settings.skip || labeled.has(row),
    )
    if (!embedding) return Uint32Array.from(rest)
    // A query may have labels only.
    const known = relevant.length > 0 ? relevant : [...labeled]
    const best = innerProducts(embedding, known, this.#documents).reduce((most, score) =>
      Math.max(most, score),
    )
    // A fraction of a negative score is higher than the score, so the margin is subtracted.
    const highest = best - (1 - this.#settings.negativesBelow!) * Math.abs(best)
    const scores = innerProducts(embedding, rest, this.#documents)
    return Uint32Array.from(rest.filter((row, i) => scores[i]! <= highest || labeled.has(row)))
  }
}
