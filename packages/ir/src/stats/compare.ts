import { KithError } from '@kith/core'
import type { Evaluation } from '../measures/evaluate.ts'
import { randomizationP } from './randomization.ts'
import { tTestP } from './t-distribution.ts'

/** How one run differs from another in one measure, over the queries that both have. */
export interface Comparison {
  measure: string
  /** How many queries both evaluations have. */
  queries: number
  /** The mean of b minus the mean of a. */
  difference: number
  /** Queries in which b is better, equal, and worse. */
  wins: number
  ties: number
  losses: number
  /** The paired t-test: t, and its two-sided p. */
  t: number
  tTest: number
  /** Fisher's randomization test, two-sided p. */
  randomization: number
}

/** The randomization test's settings. */
export interface ComparisonOptions {
  seed?: number | undefined
  /** How many assignments of signs are drawn; all of them where there are no more than that. */
  permutations?: number | undefined
  /**
   * The cluster of a query, where queries are not independent of each other: the tests then take a
   * cluster's differences as one. A query without one stands for itself.
   */
  clusters?: ReadonlyMap<string, string> | undefined
}

/** Compares evaluation b with a, query by query, in one measure. */
export function compare(
  a: Evaluation,
  b: Evaluation,
  measure: string,
  { seed = 0, permutations = 10_000, clusters }: ComparisonOptions = {},
): Comparison {
  const paired = pairedDifferences(a, b, measure)
  const differences = [...paired.values()]
  const n = differences.length
  const difference = sum(differences) / n
  const groups = clusters ? grouped(paired, clusters) : differences.map((value) => [value])
  const t = tStatistic(groups, difference)
  const wins = differences.filter((value) => value > 0).length
  const losses = differences.filter((value) => value < 0).length
  return {
    measure,
    queries: n,
    difference,
    wins,
    ties: n - wins - losses,
    losses,
    t,
    tTest: tTestP(t, groups.length - 1),
    randomization: randomizationP(groups.map(sum), { seed, permutations }),
  }
}

/** Holm's correction for several comparisons: adjusted p values, in the order given. */
export function holm(pValues: readonly number[]): number[] {
  const order = pValues.map((_, i) => i).sort((a, b) => pValues[a]! - pValues[b]!)
  const adjusted = new Array<number>(pValues.length)
  let highest = 0
  order.forEach((i, rank) => {
    highest = Math.max(highest, Math.min(1, pValues[i]! * (pValues.length - rank)))
    adjusted[i] = highest
  })
  return adjusted
}

function pairedDifferences(a: Evaluation, b: Evaluation, measure: string): Map<string, number> {
  const before = valuesOf(a, measure)
  const after = valuesOf(b, measure)
  const positions = new Map(b.queries.map((query, i) => [query, i]))
  const differences = new Map<string, number>()
  a.queries.forEach((query, i) => {
    const j = positions.get(query)
    if (j !== undefined) differences.set(query, after[j]! - before[i]!)
  })
  if (differences.size > 0) return differences
  throw new KithError('BAD_INPUT', 'the evaluations have no query in common')
}

function valuesOf(evaluation: Evaluation, measure: string): Float64Array {
  const values = evaluation.perQuery[measure]
  if (values) return values
  const known = evaluation.measures.join(', ')
  throw new KithError('BAD_INPUT', `measure ${measure} was not evaluated, only ${known}`)
}

function grouped(
  differences: ReadonlyMap<string, number>,
  clusters: ReadonlyMap<string, string>,
): number[][] {
  const groups = new Map<string, number[]>()
  for (const [query, value] of differences) {
    const cluster = clusters.get(query)
    // A name that no cluster has, whatever the clusters' names are.
    const key = cluster === undefined ? `query ${query}` : `cluster ${cluster}`
    const group = groups.get(key)
    if (group) group.push(value)
    else groups.set(key, [value])
  }
  return [...groups.values()]
}

/**
 * The mean difference over its standard error, which only counts on clusters being independent;
 * no spread at all makes it 0 or infinite.
 */
function tStatistic(groups: readonly (readonly number[])[], mean: number): number {
  const n = groups.length
  if (n < 2) return Number.NaN
  const values = groups.reduce((count, group) => count + group.length, 0)
  const squares = groups.reduce(
    (total, group) => total + (sum(group) - mean * group.length) ** 2,
    0,
  )
  const error = Math.sqrt((squares * n) / (n - 1)) / values
  if (error === 0) return mean === 0 ? 0 : Math.sign(mean) * Infinity
  return mean / error
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
