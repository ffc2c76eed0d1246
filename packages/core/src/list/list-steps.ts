import { KithError } from '../error.ts'
import type { Background } from './background.ts'
import type { ListSettings } from './list-options.ts'
import { expectedBest } from './relevance.ts'
import type { ListedHit } from './shortlist.ts'

/** The best hits of each group; the others are listed with the first one. */
export function inGroups(
  hits: readonly ListedHit[],
  { groups, maxPerGroup }: ListSettings,
): ListedHit[] {
  if (groups === undefined) return [...hits]
  const seen = new Map<unknown, { first: ListedHit; listed: number }>()
  const listed: ListedHit[] = []
  for (const hit of hits) {
    const group = groups[hit.index] ?? undefined
    const own = group === undefined ? undefined : seen.get(group)
    if (own?.listed === maxPerGroup) {
      own.first.others.push(hit.index)
      continue
    }
    listed.push(hit)
    if (own) own.listed++
    else if (group !== undefined) seen.set(group, { first: hit, listed: 1 })
  }
  return listed
}

/** How many hits are kept. */
export function keptOf(
  hits: readonly ListedHit[],
  onTopic: number | undefined,
  { cutoff, onTopic: least, background }: ListSettings,
): number {
  if (least !== undefined) {
    if (onTopic === undefined) throw cannotEstimate('onTopic', background)
    if (onTopic < least) return 0
  }
  if (cutoff === undefined) return hits.length
  if (typeof cutoff === 'number') return Math.min(cutoff, hits.length)
  const known = hits.map(({ relevance }) => relevance).filter((value) => value !== undefined)
  if (known.length === 0 && hits.length > 0) throw cannotEstimate('cutoff', background)
  if (cutoff === 'auto') return expectedBest(known)
  return known.filter((relevance) => relevance >= cutoff.relevance).length
}

function cannotEstimate(name: string, known: Background | undefined): KithError {
  const missing = known
    ? 'texts and vectors of the query and the candidates, and the method neighbors with mix words'
    : 'a background; pass background: background(vectors)'
  return new KithError('BAD_INPUT', `${name} needs estimates of relevance, which need ${missing}`)
}
