import { type PreparedText, prepareText } from '@kith/core'
import { type LabelTexts, type TextEntry, TextStore } from '@kith/ir'

/** Prepared texts that are kept for the next query they are candidates of. */
const KEPT = 50_000

/** Where texts come from by their ids. */
export type TextSource = Pick<TextStore, 'get' | 'has' | 'close'>

/** The texts of queries and documents, read as they are needed. */
export class TextPair implements LabelTexts {
  readonly #queries: TextSource
  readonly #documents: TextSource
  readonly #prepared = new Map<string, PreparedText>()

  constructor(queries: TextSource, documents: TextSource) {
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

  /** Whether a document has a text. */
  has(document: string): boolean {
    return this.#documents.has(document)
  }

  /** The words of a query and of its candidates, which all have texts. */
  prepared(query: string, documents: readonly string[]): PreparedText[] {
    return [
      prepareText(this.query(query)!.text),
      ...documents.map((id) => this.#prepared.get(id) ?? this.#prepare(id)),
    ]
  }

  close(): void {
    this.#queries.close()
    this.#documents.close()
  }

  #prepare(id: string): PreparedText {
    const { title, text: body } = this.document(id)!
    const text = prepareText(title ? `${title} ${body}` : body)
    if (this.#prepared.size >= KEPT) this.#prepared.clear()
    this.#prepared.set(id, text)
    return text
  }
}
