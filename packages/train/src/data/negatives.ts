import { type DocumentVectors, innerProducts, type TrainingQuery } from './training-query.ts'

/**
 * The retrieved documents that are not used as negatives: many of them are relevant, but not
 * labeled.
 */
export interface NegativeSettings {
  /** How many of the first retrieved documents. */
  skip: number
  /** Documents with a score above this part of the best relevant document's; null: none. */
  negativesBelow: number | null
}

/** Takes documents that may well be relevant out of the candidates; labeled documents stay. */
export class NegativeFilter {
  /** Whether it takes anything out. */
  readonly active: boolean
  /** Whether scores decide, which take the query's embedding. */
  readonly needsEmbedding: boolean
  readonly #documents: DocumentVectors
  readonly #settings: NegativeSettings

  constructor(documents: DocumentVectors, settings: NegativeSettings) {
    this.#documents = documents
    this.#settings = settings
    this.needsEmbedding = settings.negativesBelow !== null
    this.active = settings.skip > 0 || this.needsEmbedding
  }

  /** The candidates that are left of a query's retrieved documents, in their order. */
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
    // Labels may be all that is known of a query.
    const known = relevant.length > 0 ? relevant : [...labeled]
    const best = innerProducts(embedding, known, this.#documents).reduce((most, score) =>
      Math.max(most, score),
    )
    // A part of a negative score is above it: the margin is taken off its size.
    const highest = best - (1 - this.#settings.negativesBelow!) * Math.abs(best)
    const scores = innerProducts(embedding, rest, this.#documents)
    return Uint32Array.from(rest.filter((row, i) => scores[i]! <= highest || labeled.has(row)))
  }
}
