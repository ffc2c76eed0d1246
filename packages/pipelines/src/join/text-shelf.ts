import { type PreparedText, prepareText } from '@kith/core'
import { readTexts, type TextEntry } from '@kith/ir'
import { type SharedTexts, shareTexts } from '@kith/tune'
import type { RerankPlan } from '../rerank/rerank-tasks.ts'
import type { TextsById } from '../tune/collect.ts'

/** Texts by id, split into terms once for all queries they are candidates of. */
export class TextShelf {
  readonly #numbers = new Map<string, number>()
  readonly #texts: PreparedText[] = []

  /** Reads the texts of a file that are wanted, and no others. */
  static async read(file: string, wanted: (id: string) => boolean): Promise<TextShelf> {
    const shelf = new TextShelf()
    for await (const entry of readTexts(file)) {
      if (wanted(entry.id)) shelf.add(entry)
    }
    return shelf
  }

  add({ id, title, text }: TextEntry): void {
    this.#numbers.set(id, this.#texts.length)
    this.#texts.push(prepareText(title ? `${title} ${text}` : text))
  }

  /** The number of a text in `share`, undefined where there is none. */
  numberOf(id: string): number | undefined {
    return this.#numbers.get(id)
  }

  /** A text by id, undefined where there is none. */
  get(id: string): PreparedText | undefined {
    const number = this.#numbers.get(id)
    return number === undefined ? undefined : this.#texts[number]
  }

  /** All texts, for worker threads to share. */
  share(): SharedTexts {
    return shareTexts(this.#texts)
  }
}

/** The texts of a run's queries and of their candidates. */
export interface Shelves {
  queries: TextShelf
  documents: TextShelf
}

/** Reads the texts that reranking a run needs. */
export async function readShelves(
  { run, contextSize, missing }: Omit<RerankPlan, 'shelves' | 'queries' | 'docs'>,
  corpus: string,
  queryText: string,
): Promise<Shelves> {
  const needed = new Set<string>()
  for (const { ids } of run) {
    // Where candidates are skipped, later ones move up into the context.
    const end = missing === 'skip' ? ids.length : Math.min(contextSize, ids.length)
    for (let i = 0; i < end; i++) needed.add(ids[i]!)
  }
  return {
    queries: await TextShelf.read(queryText, (id) => run.has(id)),
    documents: await TextShelf.read(corpus, (id) => needed.has(id)),
  }
}

/** The same texts by id, as tuning takes them. */
export async function preparedTexts(
  plan: Omit<RerankPlan, 'shelves' | 'queries' | 'docs'>,
  corpus: string,
  queryText: string,
): Promise<TextsById> {
  const { queries, documents } = await readShelves(plan, corpus, queryText)
  return { query: (id) => queries.get(id), document: (id) => documents.get(id) }
}
