import { type CandidateViews, type PreparedText, prepareText, type QueryViews } from '@kith/core'
import type { DocumentText, StudioContext } from '../../src/studio-wire.ts'

/** A query's context in the forms that `@kith/core` takes; the words are found once. */
export class QueryContext {
  readonly source: StudioContext
  #prepared: PreparedText[] | undefined

  constructor(source: StudioContext) {
    this.source = source
  }

  /** The query, with its text where the words take part. */
  query(words: boolean): QueryViews {
    const vector = this.#vector(0)
    return words ? { vector, text: this.#texts()[0]! } : { vector }
  }

  /** The candidates that were retrieved. */
  candidates(words: boolean): CandidateViews {
    const { retrieved, vectors } = this.source
    const { data, dimensions } = vectors
    const own = { data: data.subarray(dimensions), rows: retrieved, dimensions }
    return words ? { vectors: own, texts: this.#texts().slice(1, retrieved + 1) } : { vectors: own }
  }

  /** The first of the candidates that were retrieved. */
  first(contextSize: number, words: boolean): CandidateViews & { vectors: Float32Array[] } {
    const count = Math.min(contextSize, this.source.retrieved)
    return this.of([...Array(count).keys()], words)
  }

  /** Some documents as candidates. */
  of(documents: readonly number[], words: boolean): CandidateViews & { vectors: Float32Array[] } {
    const vectors = documents.map((document) => this.#vector(document + 1))
    if (!words) return { vectors }
    return { vectors, texts: documents.map((document) => this.#texts()[document + 1]!) }
  }

  #vector(row: number): Float32Array {
    const { data, dimensions } = this.source.vectors
    return data.subarray(row * dimensions, (row + 1) * dimensions)
  }

  #texts(): PreparedText[] {
    const { query, documents } = this.source
    this.#prepared ??= [query, ...documents].map((entry) => prepareText(wordsOf(entry)))
    return this.#prepared
  }
}

/** What is looked at as the words of a document: its title belongs to it, as in `kith rerank`. */
function wordsOf({ title, text = '' }: Pick<DocumentText, 'title' | 'text'>): string {
  return title ? `${title} ${text}` : text
}
