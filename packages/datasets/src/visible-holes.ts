import { addTo } from './add-to.ts'
import type { Category } from './categories.ts'
import { genusOf } from './gloss.ts'
import { type Synset, titleOf } from './synset.ts'

/** A category with more holes than this share of its documents is too incomplete to judge by. */
const TOLERATED = 1 / 4

/** The most words that are kept of a definition: more than any category's title has. */
const LONGEST = 8

/**
 * Finds holes in the labels that are visible in the texts: documents that WordNet does not place
 * below a category although their definition's genus phrase ends with its title ("a small fishing
 * boat ..." that is no descendant of "boat").
 */
export class VisibleHoles {
  /** The documents whose genus phrase ends with a phrase. */
  readonly #documents = new Map<string, string[]>()

  constructor(documents: readonly Synset[]) {
    for (const { id, definition } of documents) {
      const words = genusOf(definition).slice(-LONGEST)
      words.forEach((_, from) => {
        addTo(this.#documents, withoutPlural(words.slice(from).join(' ')), id)
      })
    }
  }

  /** Whether a category has more such documents than can be tolerated. */
  tooMany({ synset, relevant }: Category): boolean {
    const title = withoutPlural(titleOf(synset).toLowerCase())
    const named = this.#documents.get(title) ?? []
    const labeled = new Set(relevant)
    const holes = named.filter((id) => !labeled.has(id))
    return holes.length > relevant.length * TOLERATED
  }
}

/** "Any of various trees" is as plainly a tree as "a tree". Only good to compare: gas becomes ga. */
function withoutPlural(phrase: string): string {
  return phrase.replace(/(?<=[^s])s$/, '')
}
