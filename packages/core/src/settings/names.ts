import { KithError, type KithErrorCode } from '../error.ts'
import { show } from './show.ts'

/** The parts of an object that a caller gives: their kind in messages, and their names. */
export interface NamedParts {
  /** The kind of part in messages, such as `setting` or `property of the query`. */
  part: string
  known: readonly string[]
  /** Names of parts in other libraries, by their name here. */
  synonyms?: Readonly<Record<string, readonly string[]>> | undefined
  /** `BAD_INPUT` unless it says otherwise. */
  code?: KithErrorCode | undefined
}

/**
 * Refuses an object with an unknown name: a misspelled part would be ignored without a message. A
 * name whose value is undefined counts as absent.
 */
export function refuseUnknown(given: object, parts: NamedParts): void {
  for (const name of Object.keys(given)) {
    if (parts.known.includes(name)) continue
    if ((given as Record<string, unknown>)[name] !== undefined) throw unknownName(name, parts)
  }
}

/** Names by which other libraries cut a list at a score. */
const thresholds = ['minscore', 'scorethreshold', 'threshold', 'minrelevance', 'relevancethreshold']

/** The error for an unknown name, with the known name that is nearest to it. */
export function unknownName(name: string, parts: NamedParts): KithError {
  if (thresholds.includes(plainOf(name))) {
    const why = 'because scores only compare the hits of one query'
    const instead = "pass cutoff: { relevance: 0.5 } with a background, or cutoff: 'auto'"
    const problem = `${parts.part} ${name} does not exist, ${why}; ${instead}`
    return new KithError(parts.code ?? 'BAD_INPUT', problem)
  }
  const meant = nearestName(name, parts)
  const known = parts.known.join(', ')
  const help = meant === undefined ? `known: ${known}` : `did you mean ${meant}? Known: ${known}`
  return new KithError(parts.code ?? 'BAD_INPUT', `unknown ${parts.part} ${show(name)}, ${help}`)
}

/** The known name that an unknown one was probably meant to be; undefined if none is near. */
export function nearestName(
  name: string,
  { known, synonyms = {} }: Pick<NamedParts, 'known' | 'synonyms'>,
): string | undefined {
  const plain = plainOf(name)
  let nearest: string | undefined
  // A third of the letters may be wrong, at most two.
  let least = Math.min(2, Math.floor(plain.length / 3))
  for (const candidate of known) {
    if (synonyms[candidate]?.some((other) => plainOf(other) === plain)) return candidate
    const edits = editsBetween(plain, plainOf(candidate))
    if (edits > least || (edits === least && nearest !== undefined)) continue
    nearest = candidate
    least = edits
  }
  return nearest
}

/** A name without capitals and the signs between its words: top_n, topN and TOP-N are one. */
function plainOf(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}

/** How many letters must be put in, taken out or replaced to make one word the other. */
function editsBetween(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = above[j - 1]! + Number(a[i - 1] !== b[j - 1])
      row.push(Math.min(replaced, above[j]! + 1, row[j - 1]! + 1))
    }
    above = row
  }
  return above[b.length]!
}
