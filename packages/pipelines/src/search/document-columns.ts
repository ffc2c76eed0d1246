import { KithError } from '@kith/core'
import type { Embeddings } from '@kith/ir'
import { type DocumentColumns, formatByName, TextStore } from '@kith/ir/internal'
import type { Store, StoreDocument } from '@kith/stores'

/** A column of documents in a Parquet run; the column `text` includes the title. */
export type DocumentColumn = 'text' | 'vector'

/** The inputs of a search that determine its columns. */
export interface ColumnInputs {
  /** The run to write. */
  out: string
  /** Columns of documents in a Parquet run, so that the next command needs no other file. */
  columns?: readonly DocumentColumn[] | undefined
  /** The texts of the documents, for the column `text` if no store has them. */
  corpus?: string | undefined
}

/** Throws for columns that a search cannot write. */
export function checkColumns({ out, columns = [] }: ColumnInputs, has: readonly string[]): void {
  if (columns.length === 0) return
  if (formatByName(out) !== 'parquet') {
    throw new KithError('BAD_INPUT', `columns works only with an output in .parquet, got ${out}`)
  }
  const missing = columns.find((name) => !has.includes(name))
  if (missing === undefined) return
  const remedy = missing === 'text' ? 'pass corpus' : 'BM25 reads no embeddings'
  throw new KithError('BAD_INPUT', `there is no ${missing} for the column; ${remedy}`)
}

/** Opens the columns of documents in files. */
export async function columnsOfFiles(
  { columns = [], corpus }: ColumnInputs,
  docs?: Embeddings,
): Promise<DocumentColumns & { close(): Promise<void> }> {
  const texts = columns.includes('text') ? await TextStore.open(corpus!) : undefined
  const vector = (id: string): Float32Array => {
    const row = docs!.rowOf(id)!
    return docs!.read(row, row + 1)
  }
  return {
    title: texts && ((id) => texts.get(id)?.title),
    text: texts && ((id) => texts.get(id)?.text),
    vector: columns.includes('vector') ? vector : undefined,
    close: async () => await texts?.close(),
  }
}

/** The columns of a store's documents, fetched for one query at a time. */
export class StoreColumns {
  readonly #store: Store
  readonly #names: readonly DocumentColumn[]
  #documents = new Map<string, StoreDocument>()
  readonly columns: DocumentColumns

  constructor(store: Store, { columns = [] }: ColumnInputs) {
    this.#store = store
    this.#names = columns
    const texts = columns.includes('text')
    this.columns = {
      title: texts ? (id) => this.#documents.get(id)?.title : undefined,
      text: texts ? (id) => this.#documents.get(id)?.text : undefined,
      vector: columns.includes('vector') ? (id) => this.#documents.get(id)!.vector : undefined,
    }
  }

  /** Fetches the documents of a query. */
  async fetch(ids: readonly string[]): Promise<void> {
    if (this.#names.length === 0) return
    const [texts, vectors] = [this.#names.includes('text'), this.#names.includes('vector')]
    const found = await this.#store.fetch(ids, { texts, vectors })
    if (texts && ids.length > 0 && found.every((document) => document?.text === undefined)) {
      throw new KithError(
        'BAD_INPUT',
        'the store has no texts for the column text; load them, or leave out the column',
      )
    }
    this.#documents = new Map(
      found.flatMap((document) => (document ? [[document.id, document] as const] : [])),
    )
  }
}
