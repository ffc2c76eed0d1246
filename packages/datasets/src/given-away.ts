import type { Category } from './categories.ts'
import { type Synset, titleOf } from './synset.ts'

/**
 * Whether the words alone give a category away: its head word, the last one of its title, stands
 * in the lemmas of more than half of its documents. Finding "bird dog" for "dog" needs no encoder.
 */
export function isGivenAway(
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
