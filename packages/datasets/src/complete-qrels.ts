import type { Qrels } from '@kith/ir'
import type { WordnetCollection } from './build-wordnet.ts'
import type { Split } from './splits.ts'

/** All labels of a collection, or those of one split. */
export function completeQrels({ queries }: WordnetCollection, split?: Split): Qrels {
  const chosen = queries.filter((query) => split === undefined || query.split === split)
  return new Map(chosen.map(({ id, relevant }) => [id, new Map(relevant.map((doc) => [doc, 1]))]))
}
