import type { Matrix, TermStatistics } from '@kith/core'
import type { Metric } from '../exact/search-exact.ts'

/** The methods of a store that searching uses; stores of `@kith/stores` have them. */
export interface SearchStore {
  readonly dimensions: number | undefined
  /** The metric that documents are found by; absent where nobody knows. */
  readonly metric?: Metric | undefined
  search(
    queries: Matrix,
    options: { top: number; vectors: boolean },
  ): Promise<{ ids: string[]; scores: Float32Array; vectors: Float32Array }[]>
  fetch(
    ids: readonly string[],
    options: { vectors: boolean; texts: boolean },
  ): Promise<(FetchedDocument | undefined)[]>
  /** The ids of the documents whose words fit a text best; absent where words cannot be searched. */
  searchWords?(text: string, options: { top: number }): Promise<string[]>
  /** How often terms occur in the documents; undefined where that is not known. */
  terms?(): Promise<TermStatistics | undefined>
  close(): Promise<void>
}

/** A document of a store: its vector and texts as far as they were wanted. */
export interface FetchedDocument {
  vector: Float32Array
  title?: string | undefined
  text?: string | undefined
}

/** The title and the text of a document in one, as encoders and rankings see them; undefined without a text. */
export function wholeText({ title, text }: Pick<FetchedDocument, 'title' | 'text'>) {
  return title && text !== undefined ? `${title} ${text}` : text
}
