import { seededFraction } from '@kith/base/random'
import type { Qrels } from './qrels.ts'

/** Judgments with all but one relevant document of each query hidden, and those that were. */
export interface HiddenQrels {
  known: Qrels
  hidden: Qrels
}

/**
 * Hides all but one relevant document of every query that has several, as if they had not been
 * judged; other queries and judgments below the level are left out. An audit that finds many of
 * the hidden documents finds missing judgments well.
 */
export function hideAllButOne(
  qrels: Qrels,
  { level = 1, seed = 1 }: { level?: number | undefined; seed?: number | undefined } = {},
): HiddenQrels {
  const known = new Map<string, Map<string, number>>()
  const hidden = new Map<string, Map<string, number>>()
  for (const [query, judged] of qrels) {
    const relevant = [...judged].filter(([, grade]) => grade >= level)
    if (relevant.length < 2) continue
    // Sorted, so that the order of the file does not change the choice.
    relevant.sort(([a], [b]) => (a < b ? -1 : 1))
    const [one] = relevant.splice(Math.floor(seededFraction(seed, query) * relevant.length), 1)
    known.set(query, new Map([one!]))
    hidden.set(query, new Map(relevant))
  }
  return { known, hidden }
}
