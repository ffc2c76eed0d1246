import type { Labels } from '@kith/core'
import type { LeftOut } from './label-tasks.ts'

/** What is known about the labels written so far: plain numbers, which survive a stop in a journal. */
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
  /** Queries whose list was too short for the format. */
  tooShort: number
}

export const emptySummary: LabelSummary = {
  position: 0,
  queries: 0,
  leftOut: {},
  groundTruthMass: 0,
  carriers: 0,
  groundTruthNotHighest: 0,
  tooShort: 0,
}

/** Adds one query's labels, whose first `truths` candidates are the ground truth. */
export function addLabels(summary: LabelSummary, { kept, target }: Labels, truths: number): void {
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

/** What a person can judge labels by. */
export function summaryLines(summary: LabelSummary): string[] {
  const { queries, leftOut, tooShort } = summary
  const share = (count: number): string => `${((100 * count) / Math.max(1, queries)).toFixed(1)} %`
  const lines = [`queries with labels                 ${queries}`]
  for (const [why, count] of Object.entries(leftOut)) {
    lines.push(`left out: ${why.padEnd(26)}${count}`)
  }
  if (tooShort > 0) lines.push(`left out: list too short for format ${tooShort}`)
  if (queries === 0) return lines
  return [
    ...lines,
    `mean probability on ground truth    ${(summary.groundTruthMass / queries).toFixed(4)}`,
    `documents that carry 90 % of it     ${(summary.carriers / queries).toFixed(2)} on average`,
    `ground truth not the highest        ${summary.groundTruthNotHighest} (${share(summary.groundTruthNotHighest)})`,
  ]
}
