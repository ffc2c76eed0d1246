import type { Labels } from '@kith/core'

/** Why queries were left out, and how many. */
export type LeftOut = Record<string, number>

/** Figures of the labels written so far: plain numbers, which survive a stop in a journal. */
export interface LabelSummary {
  /** How many queries of the run were looked at. */
  position: number
  /** How many have labels. */
  queries: number
  leftOut: LeftOut
  /** Sums over the queries with labels. */
  groundTruthMass: number
  carriers: number
  groundTruthNotHighest: number
}

export const emptySummary: LabelSummary = {
  position: 0,
  queries: 0,
  leftOut: {},
  groundTruthMass: 0,
  carriers: 0,
  groundTruthNotHighest: 0,
}

/** Adds one query's labels, whose first `truths` candidates are the ground truth. */
export function addLabels(
  summary: LabelSummary,
  { kept, target }: Pick<Labels, 'kept' | 'target'>,
  truths: number,
): void {
  summary.queries++
  let mass = 0
  kept.forEach((candidate, i) => {
    if (candidate < truths) mass += target[i]!
  })
  summary.groundTruthMass += mass
  let carried = 0
  let carriers = 0
  while (carriers < target.length && carried < 0.9 - 1e-9) carried += target[carriers++]!
  summary.carriers += carriers
  if (kept[0]! >= truths) summary.groundTruthNotHighest++
}

/** The sum of summaries of shares. */
export function addSummaries(summaries: readonly LabelSummary[]): LabelSummary {
  const sum = structuredClone(emptySummary)
  for (const { leftOut, ...numbers } of summaries) {
    for (const [name, value] of Object.entries(numbers)) {
      sum[name as keyof typeof numbers] += value
    }
    for (const [why, count] of Object.entries(leftOut)) {
      sum.leftOut[why] = (sum.leftOut[why] ?? 0) + count
    }
  }
  return sum
}

/** Whether something read from a file is a summary. */
export function isSummary(value: unknown): value is LabelSummary {
  const summary = value as LabelSummary | undefined
  const { leftOut, ...numbers } = emptySummary
  return (
    isCounts(summary?.leftOut) &&
    Object.keys(numbers).every((name) => Number.isFinite(summary![name as keyof typeof numbers]))
  )
}

function isCounts(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.values(value).every(Number.isFinite)
}
