import type { PreparedText } from '@kith/core'
import type { FileEmbeddings } from '@kith/ir'
import { type EmbeddingIds, type SharedTexts, textAt } from '@kith/ir/internal'
import type { JoinedTexts } from './join.ts'
import type { NumberedTexts, PreparedTexts } from './prepared-texts.ts'

/** Prepared texts by the rows of embeddings, on memory that worker threads can share. */
interface SharedSide {
  texts: SharedTexts
  /** The number of each row's text, -1 where it has none. */
  numbers: Int32Array
}

/** The texts of queries and documents by their rows. */
export interface SharedRowTexts {
  queries: SharedSide
  documents: SharedSide
}

/** Puts texts on shared memory, found by the rows that their ids have. */
export function shareRowTexts(
  { queries, documents }: PreparedTexts,
  vectors: { queries: FileEmbeddings; docs: FileEmbeddings },
): SharedRowTexts {
  return {
    queries: shareSide(queries, vectors.queries),
    documents: shareSide(documents, vectors.docs),
  }
}

function shareSide(texts: NumberedTexts, { rows, ids }: FileEmbeddings): SharedSide {
  const numbers = new Int32Array(new SharedArrayBuffer(rows * 4)).fill(-1)
  for (const [id, number] of texts.numbers()) {
    const row = ids.rowOf(id)
    if (row !== undefined) numbers[row] = number
  }
  return { texts: texts.share(), numbers }
}

/** Texts that another thread shares. */
export class RowTexts implements JoinedTexts<number> {
  readonly #shared: SharedRowTexts
  readonly #queries: Pick<EmbeddingIds, 'rowOf'>

  constructor(shared: SharedRowTexts, queries: Pick<EmbeddingIds, 'rowOf'>) {
    this.#shared = shared
    this.#queries = queries
  }

  hasQuery(id: string): boolean {
    return this.#queryNumber(id) >= 0
  }

  hasDocument(_: number | string, row: number): boolean {
    return this.#shared.documents.numbers[row]! >= 0
  }

  query(id: string): PreparedText {
    return textAt(this.#shared.queries.texts, this.#queryNumber(id))
  }

  document(_: number, row: number): PreparedText {
    const { texts, numbers } = this.#shared.documents
    return textAt(texts, numbers[row]!)
  }

  #queryNumber(id: string): number {
    return this.#shared.queries.numbers[this.#queries.rowOf(id) ?? -1] ?? -1
  }
}
