import { genusOf } from './noun-line.ts'
import { addTo, type Descendants, type Synset, titleOf } from './synset.ts'

/** A synset whose title can be a query, with all documents that are relevant to it. */
export interface Category {
  readonly synset: Synset
  readonly relevant: readonly string[]
}

/** Fewer documents make no category. */
const FEWEST = 5

/** Lexical files without the abstract ones (acts, attributes, states), whose kinds are seldom plain. */
const concrete = new Set(
  (
    'animal artifact body communication event food group location object person phenomenon ' +
    'plant possession substance time'
  ).split(' '),
)

/** The synsets that may become queries, in the order of the file. */
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
 * Whether the words alone give a category away: its head word, the last one of its title, stands
 * in the lemmas of more than half of its documents. Finding "bird dog" for "dog" needs no encoder.
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

/** From this Jaccard similarity of their documents on, two categories count as one. */
const ALIKE = 0.8

/**
 * Leaves out categories that are nearly a larger one that is kept: they would count one finding
 * twice. Of equal sizes the first one in the file stays.
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
