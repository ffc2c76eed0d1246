import { addTo } from './add-to.ts'
import type { Synset } from './synset.ts'

/** The ids of the synsets directly below each synset that has any. */
export function hyponymsOf(synsets: ReadonlyMap<string, Synset>): Map<string, string[]> {
  const hyponyms = new Map<string, string[]>()
  for (const { id, hypernyms } of synsets.values()) {
    for (const hypernym of hypernyms) addTo(hyponyms, hypernym, id)
  }
  return hyponyms
}
