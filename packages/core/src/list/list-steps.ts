import { KithError } from '../error.ts'
import { ROUNDING, standardize } from '../method/mix.ts'
import { orderByScore, type Ranking } from '../method/order-by-score.ts'
import { show } from '../settings/show.ts'
import type { Background } from './background.ts'
import type { ListSettings } from './list-options.ts'
import { expectedBest } from './relevance.ts'
import type { ListedHit } from './shortlist.ts'

/** A ranking whose context is reordered by its scores and the priors. */
export function withPriors(
  ranking: Ranking,
  settings: ListSettings,
  of: (place: number) => number,
): Ranking {
  const { priors, priorWeight, priorScale, ranking: own } = settings
  if (priors === undefined) return ranking
  const inside = Math.min(ranking.order.length, own.contextSize)
  // Row 0 is the query's, as in all terms.
  const given = new Float64Array(inside + 1)
  const without: number[] = []
  for (let i = 0; i < inside; i++) {
    const index = of(ranking.order[i]!)
    const prior: unknown = priors[index] ?? undefined
    if (prior === undefined) without.push(i + 1)
    else if (Number.isFinite(prior)) given[i + 1] = prior as number
    else
      throw new KithError(
        'BAD_INPUT',
        `the prior of candidate ${index} must be a finite number, got ${show(prior)}`,
      )
  }
  const term = priorScale === 'log-odds' ? given : standardize(given, [0, ...without], ROUNDING)
  for (const row of without) term[row] = 0
  const sums = new Float64Array(inside + 1)
  for (let i = 0; i < inside; i++) sums[i + 1] = ranking.scores[i]! + priorWeight * term[i + 1]!
  const places = orderByScore(sums).order
  const order = ranking.order.slice()
  const scores = ranking.scores.slice()
  const similarities = ranking.similarities?.slice()
  places.forEach((place, i) => {
    order[i] = ranking.order[place]!
    scores[i] = sums[place + 1]!
    if (similarities) similarities[i] = ranking.similarities![place]!
  })
  // The scores behind the context stay below those within.
  const drop = inside > 0 ? ranking.scores[inside - 1]! - scores[inside - 1]! : 0
  for (let i = inside; i < scores.length; i++) scores[i]! -= drop
  return { ...ranking, order, scores, similarities }
}

/** The best hits of each group; the others are listed with the first one. */
export function inGroups(
  hits: readonly ListedHit[],
  { groups, maxPerGroup }: ListSettings,
): ListedHit[] {
  if (groups === undefined) return [...hits]
  const seen = new Map<unknown, { first: ListedHit; listed: number }>()
  return hits.filter((hit) => {
    const group = groups[hit.index] ?? undefined
    if (group === undefined) return true
    const own = seen.get(group)
    if (own?.listed === maxPerGroup) {
      own.first.others.push(hit.index)
      return false
    }
    if (own) own.listed++
    else seen.set(group, { first: hit, listed: 1 })
    return true
  })
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
