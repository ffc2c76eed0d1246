import { KithError } from '../error.ts'
import { ROUNDING, standardize } from '../method/mix.ts'
import { type Ranking, sortByScore } from '../method/order-by-score.ts'
import { choice, type Rule, range } from '../settings/setting-rules.ts'
import { show } from '../settings/show.ts'

/** Numbers that are added to the scores of candidates, such as freshness. */
export interface PriorOptions {
  /** A number for each candidate; undefined for a candidate without a prior. */
  priors?: ArrayLike<number | null | undefined> | undefined
  /** The weight of the priors; 0.1 by default. */
  priorWeight?: number | undefined
  /** Whether priors are standardized over the context, as by default, or log-odds that are added as they are. */
  priorScale?: 'standard' | 'log-odds' | undefined
}

/** The weight of priors if none is given. */
export const PRIOR_WEIGHT = 0.1

/** Throws unless a value is a list. */
export const checkList: Rule = (name, value) => {
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return
  throw new KithError('BAD_SETTING', `setting ${name} must be an array, got ${show(value)}`)
}

export const priorRules: Readonly<Record<keyof PriorOptions, Rule>> = {
  priors: checkList,
  priorWeight: /* @__PURE__ */ range({ from: 0, to: 1000 }),
  priorScale: /* @__PURE__ */ choice('standard', 'log-odds'),
}

/** Refuses an option that has no effect without another. */
export function refuseWithout<T extends object>(own: T, needs: Partial<Record<keyof T, keyof T>>) {
  for (const name in needs) {
    const other = needs[name]!
    if (own[name] === undefined || own[other] !== undefined) continue
    throw new KithError(
      'BAD_SETTING',
      `setting ${name} has no effect without ${String(other)}; leave it out`,
    )
  }
}

/** Checks options of priors and settings apart. */
export function takePriors<T extends object>(
  given: (T & PriorOptions) | undefined,
): { own: PriorOptions; rest: T | undefined } {
  const { priors, priorWeight, priorScale, ...rest } = given ?? ({} as T & PriorOptions)
  const own: PriorOptions = { priors, priorWeight, priorScale }
  for (const [name, value] of Object.entries(own)) {
    if (value !== undefined) priorRules[name as keyof PriorOptions](name, value)
  }
  refuseWithout(own, { priorWeight: 'priors', priorScale: 'priors' })
  return { own, rest: given && (rest as T) }
}

/** A ranking whose context is sorted again by scores and priors. */
export function withPriors(
  ranking: Ranking,
  { priors, priorWeight = PRIOR_WEIGHT, priorScale }: PriorOptions,
  contextSize: number,
  of = (place: number): number => place,
): Ranking {
  if (priors === undefined) return ranking
  const inside = Math.min(ranking.order.length, contextSize)
  // Row 0 is the query's, as in all terms.
  const sums = new Float64Array(inside + 1)
  const without: number[] = [0]
  for (let i = 0; i < inside; i++) {
    const index = of(ranking.order[i]!)
    const prior: unknown = priors[index] ?? undefined
    if (prior === undefined) without.push(i + 1)
    else if (Number.isFinite(prior)) sums[i + 1] = prior as number
    else
      throw new KithError(
        'BAD_INPUT',
        `the prior of candidate ${index} must be a finite number, got ${show(prior)}`,
      )
  }
  if (priorScale !== 'log-odds') standardize(sums, without, ROUNDING, sums)
  for (const row of without) sums[row] = 0
  for (let i = 0; i < inside; i++) {
    sums[i + 1] = ranking.scores[i]! + priorWeight * sums[i + 1]!
  }
  const order = sortByScore(sums)
  const scores = ranking.scores.slice()
  const similarities = ranking.similarities?.slice()
  for (let i = 0; i < inside; i++) {
    const place = order[i]!
    order[i] = ranking.order[place]!
    scores[i] = sums[place + 1]!
    if (similarities) similarities[i] = ranking.similarities![place]!
  }
  // Scores beyond the context stay below the scores of the context.
  const drop = inside > 0 ? ranking.scores[inside - 1]! - scores[inside - 1]! : 0
  for (let i = inside; i < scores.length; i++) scores[i]! -= drop
  if (inside === scores.length) return { ...ranking, order, scores, similarities }
  const all = ranking.order.slice()
  all.set(order)
  return { ...ranking, order: all, scores, similarities }
}
