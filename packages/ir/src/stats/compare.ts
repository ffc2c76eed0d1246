import { mulberryWords } from '@kith/base/random'
import { KithError } from '@kith/core'
import type { Evaluation } from '../measures/evaluate.ts'
import { tTestP } from './t-distribution.ts'

/** The difference of two runs in one measure, over the queries that both have. */
export interface Comparison {
  measure: string
  /** The number of queries in both evaluations. */
  queries: number
  /** The mean of b minus the mean of a. */
  difference: number
  /** The number of queries in which b is better, equal, and worse. */
  wins: number
  ties: number
  losses: number
  /** The paired t-test: t, and its two-sided p-value. */
  t: number
  tTest: number
  /** The two-sided p-value of Fisher's randomization test. */
  randomization: number
}

/** Options of the tests. */
export interface ComparisonOptions {
  seed?: number | undefined
  /**
   * The number of random sign assignments; all assignments are tried if there are no more than
   * that.
   */
  permutations?: number | undefined
  /**
   * The cluster of each query, if queries are not independent: the tests then treat a cluster's
   * differences as one. A query without a cluster is its own cluster.
   */
  clusters?: ReadonlyMap<string, string> | undefined
}

/**
 * Compares evaluation b with evaluation a, query by query, in one measure.
 *
 * ```ts
 * const { difference, tTest } = compare(evaluate(qrels, run, ['nDCG@10']), evaluate(qrels, better, ['nDCG@10']), 'nDCG@10')
 * ```
 */
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

/**
 * Applies Holm's correction for several comparisons; returns the adjusted p-values, in the given
 * order.
 */
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
  throw new KithError('BAD_INPUT', `measure ${measure} was not evaluated; evaluated: ${known}`)
}

function grouped(
  differences: ReadonlyMap<string, number>,
  clusters: ReadonlyMap<string, string>,
): number[][] {
  const groups = new Map<string, number[]>()
  for (const [query, value] of differences) {
    const cluster = clusters.get(query)
    // The prefix keeps the key of a query apart from the names of clusters.
    const key = cluster === undefined ? `query ${query}` : `cluster ${cluster}`
    const group = groups.get(key)
    if (group) group.push(value)
    else groups.set(key, [value])
  }
  return [...groups.values()]
}

/**
 * Computes the mean difference over its standard error, which assumes only that clusters are
 * independent. Without any spread, the result is 0 or infinite.
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

/**
 * Runs Fisher's randomization test on paired differences: returns how often the mean is at least as
 * far from 0 when each difference gets a random sign. The test is exact if there are few nonzero
 * differences.
 */
export function randomizationP(
  differences: readonly number[],
  { seed, permutations }: { seed: number; permutations: number },
): number {
  if (!Number.isInteger(permutations) || permutations < 1) {
    throw new KithError(
      'BAD_SETTING',
      `permutations must be a whole number of at least 1, got ${permutations}`,
    )
  }
  // A sign does not change a zero, so only the other differences give distinct assignments.
  const values = differences.filter((value) => value !== 0)
  const observed = Math.abs(values.reduce((sum, value) => sum + value, 0))
  // Sums of the same values in a different order differ in the last digits.
  const threshold = observed - 1e-12 * values.reduce((sum, value) => sum + Math.abs(value), 0)
  if (values.length < 31 && 2 ** values.length <= permutations) return exactP(values, threshold)

  const words = mulberryWords(seed)
  let extreme = 0
  for (let i = 0; i < permutations; i++) {
    let sum = 0
    let bits = 0
    for (let j = 0; j < values.length; j++) {
      if (j % 32 === 0) bits = words()
      sum += bits & 1 ? values[j]! : -values[j]!
      bits >>>= 1
    }
    if (Math.abs(sum) >= threshold) extreme++
  }
  // The observed assignment is one of the possible assignments, so p is never 0.
  return (extreme + 1) / (permutations + 1)
}

function exactP(values: readonly number[], threshold: number): number {
  const assignments = 2 ** values.length
  let extreme = 0
  for (let bits = 0; bits < assignments; bits++) {
    let sum = 0
    values.forEach((value, j) => {
      sum += (bits >> j) & 1 ? value : -value
    })
    if (Math.abs(sum) >= threshold) extreme++
  }
  return extreme / assignments
}

/** Formats a p-value with the digits that matter. */
export function formatP(p: number): string {
  if (!Number.isFinite(p)) return '–'
  return p < 0.0001 ? '<0.0001' : p.toFixed(4)
}

/** Formats a p-value for a sentence: `p = 0.0042` or `p < 0.0001`. */
export function statedP(p: number): string {
  if (!Number.isFinite(p)) return 'too few queries for a test'
  return p < 0.0001 ? 'p < 0.0001' : `p = ${formatP(p)}`
}

/** Returns the stars for a significant difference. */
export function markOf(p: number): string {
  if (p < 0.01) return '**'
  return p < 0.05 ? '*' : ''
}
