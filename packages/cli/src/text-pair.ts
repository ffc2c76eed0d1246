import { type PreparedText, prepareText } from '@kith/core'
import { type LabelTexts, type TextEntry, TextStore } from '@kith/ir'

/** Prepared texts that are kept for the next query they are candidates of. */
const KEPT = 50_000

/** The texts of queries and documents, read as they are needed. */
export class TextPair implements LabelTexts {
  readonly #queries: TextStore
  readonly #documents: TextStore
  readonly #prepared = new Map<string, PreparedText>()

  private constructor(queries: TextStore, documents: TextStore) {
    this.#queries = queries
    this.#documents = documents
  }

  static async open(corpus: string, queryText: string): Promise<TextPair> {
    const queries = await TextStore.open(queryText)
    return new TextPair(queries, await TextStore.open(corpus))
  }

  query(id: string): TextEntry | undefined {
    return this.#queries.get(id)
  }

  document(id: string): TextEntry | undefined {
    return this.#documents.get(id)
  }

  /** The words of a query and of its candidates; what is missing, in words, where one has no text. */
  prepared(query: string, documents: readonly string[]): PreparedText[] | string {
    const asked = this.query(query)
    if (!asked) return 'the query has no text'
    const texts = [prepareText(asked.text)]
    for (const id of documents) {
      const text = this.#prepared.get(id) ?? this.#prepare(id)
      if (!text) return `document ${id} has no text`
      texts.push(text)
    }
    return texts
  }

  close(): void {
    this.#queries.close()
    this.#documents.close()
  }

  #prepare(id: string): PreparedText | undefined {
    const entry = this.document(id)
    if (!entry) return undefined
    const text = prepareText(entry.title ? `${entry.title} ${entry.text}` : entry.text)
    if (this.#prepared.size >= KEPT) this.#prepared.clear()
    this.#prepared.set(id, text)
    return text
  }
}
