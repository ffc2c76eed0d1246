import { KithError, type PreparedText, prepareText, type Tokenizer } from '@kith/core'
import type { LabelTexts, TextEntry } from '@kith/ir'
import { type SharedTextStore, TextReader, TextStore } from '@kith/ir/internal'
import { openBoth } from './contexts.ts'
import type { TextsPresent } from './join.ts'
import { NumberedTexts } from './prepared-texts.ts'

/** The files with texts of documents and queries; give both or neither. */
export interface TextFiles {
  corpus?: string | undefined
  queryText?: string | undefined
}

/** Returns both files, or undefined; throws if only one is given. */
export function checkTextPair({
  corpus,
  queryText,
}: TextFiles): { corpus: string; queryText: string } | undefined {
  if (corpus !== undefined && queryText !== undefined) return { corpus, queryText }
  if (corpus === undefined && queryText === undefined) return undefined
  throw new KithError('BAD_INPUT', 'corpus and queryText must be given together')
}

/** Number of prepared texts to cache for other queries with the same candidates. */
const KEPT = 50_000

/** A source of texts by id. */
type TextSource = Pick<TextStore, 'get' | 'has' | 'close'>

/** The texts of files, for worker threads. */
export interface SharedOpenTexts {
  queries: SharedTextStore
  documents: SharedTextStore
}

/** The texts of queries and documents, read by id and prepared on demand. */
export class OpenTexts implements TextsPresent, LabelTexts {
  readonly #queries: TextSource
  readonly #documents: TextSource
  readonly #tokenizer: Tokenizer
  readonly #prepared: NumberedTexts

  constructor(queries: TextSource, documents: TextSource, tokenizer: Tokenizer) {
    this.#queries = queries
    this.#documents = documents
    this.#tokenizer = tokenizer
    this.#prepared = new NumberedTexts(tokenizer)
  }

  /** Opens the files of documents and queries, which may be larger than memory. */
  static async open(
    { corpus, queryText }: { corpus: string; queryText: string },
    tokenizer: Tokenizer,
  ): Promise<OpenTexts> {
    const opened = await openBoth(TextStore.open(queryText), () => TextStore.open(corpus))
    return new OpenTexts(...opened, tokenizer)
  }

  /** Wraps texts that another thread shares while it has them open. */
  static over({ queries, documents }: SharedOpenTexts, tokenizer: Tokenizer): OpenTexts {
    return new OpenTexts(new TextReader(queries), new TextReader(documents), tokenizer)
  }

  /** Wraps texts in memory. */
  static of(
    queries: Iterable<TextEntry>,
    documents: Iterable<TextEntry>,
    tokenizer: Tokenizer,
  ): OpenTexts {
    return new OpenTexts(sourceOf(queries), sourceOf(documents), tokenizer)
  }

  /** Returns the texts for worker threads; requires texts from files. */
  share(): SharedOpenTexts {
    const shareOf = (source: TextSource): SharedTextStore => (source as TextStore).share()
    return { queries: shareOf(this.#queries), documents: shareOf(this.#documents) }
  }

  query(id: string): TextEntry | undefined {
    return this.#queries.get(id)
  }

  document(id: string): TextEntry | undefined {
    return this.#documents.get(id)
  }

  hasQuery(id: string): boolean {
    return this.#queries.has(id)
  }

  hasDocument(id: string): boolean {
    return this.#documents.has(id)
  }

  /** Prepares the texts of a query and of its candidates, which must all have texts. */
  prepared(query: string, documents: readonly string[]): PreparedText[] {
    return [
      prepareText(this.query(query)!.text, { tokenizer: this.#tokenizer }),
      ...documents.map((id) => this.#prepared.get(id) ?? this.#prepare(id)),
    ]
  }

  async close(): Promise<void> {
    await this.#queries.close()
    await this.#documents.close()
  }

  /** Same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #prepare(id: string): PreparedText {
    if (this.#prepared.size >= KEPT) this.#prepared.clear()
    return this.#prepared.add(this.document(id)!)
  }
}

function sourceOf(entries: Iterable<TextEntry>): TextSource {
  const byId = new Map(Array.from(entries, (entry) => [entry.id, entry]))
  return {
    get: (id) => byId.get(id),
    has: (id) => byId.has(id),
    close: async () => {},
  }
}
