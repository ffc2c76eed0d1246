import { hyponymsOf } from './hyponyms.ts'
import type { Synset } from './synset.ts'

/** A document of the collection: one noun synset. */
export interface WordnetDocument {
  readonly id: string
  /** `lemma, lemma: definition`. */
  readonly text: string
}

/**
 * Synsets below this one are left out: names of genera and families, whose definitions ("type
 * genus of the Felidae") say nothing that a reader could search for.
 */
const EXCLUDED = 'taxonomic group'

/** The synsets that are documents: those without hyponyms, in the order of the file. */
export function documentSynsets(synsets: ReadonlyMap<string, Synset>): Synset[] {
  const hyponyms = hyponymsOf(synsets)
  const excluded = new Set<string>()
  for (const { id, lemmas } of synsets.values()) if (lemmas.includes(EXCLUDED)) excluded.add(id)
  // A set that grows while it is walked: in the end it holds all that lies below.
  for (const id of excluded) for (const hyponym of hyponyms.get(id) ?? []) excluded.add(hyponym)
  return [...synsets.values()].filter(({ id }) => !hyponyms.has(id) && !excluded.has(id))
}

/** A synset as a document. */
export function documentOf({ id, lemmas, definition }: Synset): WordnetDocument {
  return { id, text: `${lemmas.join(', ')}: ${definition}` }
}
