import { genusOf } from './noun-line.ts'
import { addTo, type Descendants, type Synset, titleOf } from './synset.ts'

/** A synset whose title can be a query, with all its relevant documents. */
export interface Category {
  readonly synset: Synset
  readonly relevant: readonly string[]
}

/** Minimum number of documents in a category. */
const FEWEST = 5

/**
 * Concrete lexical files. Kinds in the abstract files (acts, attributes, states) are seldom plain.
 */
const concrete = new Set(
  (
    'animal artifact body communication event food group location object person phenomenon ' +
    'plant possession substance time'
  ).split(' '),
)

/** Returns the synsets that may become queries, in the order of the file. */
export function candidateCategories(descendants: Descendants): Category[] {
  const categories: Category[] = []
  for (const synset of descendants.synsets.values()) {
    const relevant = descendants.of(synset.id)
    if (!relevant || relevant.length < FEWEST || !concrete.has(synset.lexicalFile)) continue
    categories.push({ synset, relevant })
  }
  return categories
}

/**
 * Returns whether words alone give a category away: its head word, the last word of its title,
 * occurs in the lemmas of more than half of its documents. Finding "bird dog" for "dog" needs no
 * encoder.
 */
export function isNamedInDocuments(
  { synset, relevant }: Category,
  synsets: ReadonlyMap<string, Synset>,
): boolean {
  const head = wordsOf(titleOf(synset)).at(-1)!
  const named = relevant.filter((id) =>
    synsets.get(id)!.lemmas.some((lemma) => wordsOf(lemma).includes(head)),
  )
  return named.length > relevant.length / 2
}

function wordsOf(lemma: string): string[] {
  return lemma.toLowerCase().split(' ')
}

/** The Jaccard similarity of their documents from which two categories count as one. */
const ALIKE = 0.8

/**
 * Leaves out categories that are nearly equal to a larger category that is kept: they would count
 * one result twice. Of categories of equal size, the first in the file is kept.
 */
export function withoutNearCopies(categories: readonly Category[]): Category[] {
  const largestFirst = categories.toSorted((a, b) => b.relevant.length - a.relevant.length)
  const kept = new Set<Category>()
  const keptWith = new Map<string, Category[]>()
  for (const category of largestFirst) {
    if (hasCopy(category, keptWith)) continue
    kept.add(category)
    for (const document of category.relevant) addTo(keptWith, document, category)
  }
  return categories.filter((category) => kept.has(category))
}

function hasCopy({ relevant }: Category, keptWith: ReadonlyMap<string, Category[]>): boolean {
  const shared = new Map<Category, number>()
  for (const document of relevant) {
    for (const other of keptWith.get(document) ?? []) {
      shared.set(other, (shared.get(other) ?? 0) + 1)
    }
  }
  for (const [other, both] of shared) {
    if (both / (relevant.length + other.relevant.length - both) >= ALIKE) return true
  }
  return false
}

/**
 * The maximum number of holes as a share of a category's documents; a category with more is too
 * incomplete to evaluate with.
 */
const TOLERATED = 1 / 4

/** Maximum number of words to keep of a genus phrase: more than any category's title has. */
const LONGEST = 8

/**
 * Finds holes in the labels that are visible in the texts: documents that WordNet does not place
 * below a category although their definition's genus phrase ends with its title ("a small fishing
 * boat ..." that is no descendant of "boat").
 */
export class VisibleHoles {
  /** The documents whose genus phrase ends with a phrase, by phrase. */
  readonly #documents = new Map<string, string[]>()

  constructor(documents: readonly Synset[]) {
    for (const { id, definition } of documents) {
      const words = genusOf(definition).slice(-LONGEST)
      words.forEach((_, from) => {
        addTo(this.#documents, withoutPlural(words.slice(from).join(' ')), id)
      })
    }
  }

  /** Returns whether a category has more holes than tolerated. */
  tooMany({ synset, relevant }: Category): boolean {
    const title = withoutPlural(titleOf(synset).toLowerCase())
    const named = this.#documents.get(title) ?? []
    const labeled = new Set(relevant)
    const holes = named.filter((id) => !labeled.has(id))
    return holes.length > relevant.length * TOLERATED
  }
}

/**
 * Removes a plural s, so that "any of various trees" matches "a tree". Use the result only for
 * comparisons: gas becomes ga.
 */
function withoutPlural(phrase: string): string {
  return phrase.replace(/(?<=[^s])s$/, '')
}
