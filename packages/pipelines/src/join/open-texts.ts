import { KithError, type PreparedText, prepareText, type Tokenizer } from '@kith/core'
import type { LabelTexts, TextEntry } from '@kith/ir'
import { type SharedTextStore, TextReader, TextStore } from '@kith/ir/internal'
import { openBoth } from './contexts.ts'
import type { TextsPresent } from './join.ts'
import { NumberedTexts } from './prepared-texts.ts'

/** Files with texts; documents and queries need both or neither. */
export interface TextFiles {
  corpus?: string | undefined
  queryText?: string | undefined
}

/** Both files, or none. */
export function checkTextPair({
  corpus,
  queryText,
}: TextFiles): { corpus: string; queryText: string } | undefined {
  if (corpus !== undefined && queryText !== undefined) return { corpus, queryText }
  if (corpus === undefined && queryText === undefined) return undefined
  throw new KithError('BAD_INPUT', 'corpus and queryText must be given together')
}

/** Prepared texts that are kept for the next query they are candidates of. */
const KEPT = 50_000

/** The sources of texts by id. */
type TextSource = Pick<TextStore, 'get' | 'has' | 'close'>

/** The texts of files for worker threads. */
export interface SharedOpenTexts {
  queries: SharedTextStore
  documents: SharedTextStore
}

/** The texts of queries and documents, read by id and prepared as they are needed. */
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

  /** Texts that another thread shares while it has them open. */
  static over({ queries, documents }: SharedOpenTexts, tokenizer: Tokenizer): OpenTexts {
    return new OpenTexts(new TextReader(queries), new TextReader(documents), tokenizer)
  }

  /** Takes entries that are in memory. */
  static of(
    queries: Iterable<TextEntry>,
    documents: Iterable<TextEntry>,
    tokenizer: Tokenizer,
  ): OpenTexts {
    return new OpenTexts(sourceOf(queries), sourceOf(documents), tokenizer)
  }

  /** The texts for worker threads, if they come from files. */
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

  /** The words of a query and of its candidates, which all have texts. */
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
