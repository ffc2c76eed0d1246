import type { Descendants } from './descendants.ts'
import type { Synset } from './synset.ts'

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
