import { FileError } from '@kith/base'
import { hyponymsOf } from './hyponyms.ts'
import type { Synset } from './synset.ts'

/**
 * Refuses hypernyms that lead nowhere, or round in a circle: every path up the hierarchy must end at
 * its top.
 *
 * @param lines The line of each synset.
 */
export function checkHypernyms(
  file: string,
  synsets: ReadonlyMap<string, Synset>,
  lines: ReadonlyMap<string, number>,
): void {
  const waiting = new Map<string, number>()
  const reached: string[] = []
  for (const { id, hypernyms } of synsets.values()) {
    for (const hypernym of hypernyms) {
      if (synsets.has(hypernym)) continue
      const problem = `the hypernym ${hypernym.slice(1)} is not in the file`
      throw new FileError(file, `line ${lines.get(id)}`, problem)
    }
    if (hypernyms.length === 0) reached.push(id)
    else waiting.set(id, hypernyms.length)
  }
  const hyponyms = hyponymsOf(synsets)
  // A synset is reached when all its hypernyms are; the list grows while it is walked.
  for (const id of reached) {
    for (const hyponym of hyponyms.get(id) ?? []) {
      const left = waiting.get(hyponym)! - 1
      waiting.set(hyponym, left)
      if (left === 0) reached.push(hyponym)
    }
  }
  for (const [id, left] of waiting) {
    if (left === 0) continue
    const problem = `the hypernyms of ${id.slice(1)} lead round in a circle`
    throw new FileError(file, `line ${lines.get(id)}`, problem)
  }
}
