import { type PreparedText, prepareText } from '@kith/core'
import { readTexts } from '@kith/ir'
import type { RerankPlan } from './rerank-tasks.ts'

/** Prepared texts on shared memory, one behind the other. */
export interface SharedTexts {
  words: Uint32Array
  /** Where each text starts, and at last where the last one ends. */
  starts: Float64Array
}

/** Texts by id, split into terms once for all queries they are candidates of. */
export class TextShelf {
  readonly #numbers = new Map<string, number>()
  readonly #texts: PreparedText[] = []

  /** Reads the texts of a file that are wanted, and no others. */
  static async read(file: string, wanted: (id: string) => boolean): Promise<TextShelf> {
    const shelf = new TextShelf()
    for await (const { id, title, text } of readTexts(file)) {
      if (!wanted(id)) continue
      shelf.#numbers.set(id, shelf.#texts.length)
      shelf.#texts.push(prepareText(title ? `${title} ${text}` : text))
    }
    return shelf
  }

  /** The number of a text in `share`, undefined where there is none. */
  numberOf(id: string): number | undefined {
    return this.#numbers.get(id)
  }

  /** All texts, for worker threads to share. */
  share(): SharedTexts {
    const starts = new Float64Array(new SharedArrayBuffer((this.#texts.length + 1) * 8))
    this.#texts.forEach(({ postings }, i) => {
      starts[i + 1] = starts[i]! + postings.length
    })
    const words = new Uint32Array(new SharedArrayBuffer(starts[this.#texts.length]! * 4))
    this.#texts.forEach(({ postings }, i) => {
      words.set(postings, starts[i]!)
    })
    return { words, starts }
  }
}

/** The texts of a run's queries and of their candidates. */
export interface Shelves {
  queries: TextShelf
  documents: TextShelf
}

/** Reads the texts that reranking a run needs. */
export async function readShelves(
  { run, contextSize, missing }: Omit<RerankPlan, 'shelves'>,
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

/** One text of those that are shared. */
export function textAt({ words, starts }: SharedTexts, number: number): PreparedText {
  return { postings: words.subarray(starts[number]!, starts[number + 1]!) }
}
