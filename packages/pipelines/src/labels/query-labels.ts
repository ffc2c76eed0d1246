import type { Labels } from '@kith/core'
import type { Embeddings, LabeledQuery } from '@kith/ir'
import type { Join } from '../join/join.ts'
import type { OpenTexts } from '../join/open-texts.ts'
import { formatLabelsOrSkip, hasRows, type LabelLayout } from './label-format.ts'
import type { LabelContext } from './label-slice.ts'

/** The result of one query: its text in the file, and its contribution to the summary. */
export interface QueryLabels {
  part: string
  summary: LabelSummary
  /** Whether the query got labels, including labels that make no training row. */
  answered: boolean
}

/** The settings for writing a query's labels. */
interface LabelWriting {
  docs: Pick<Embeddings, 'idOf'>
  layout: LabelLayout
  texts: OpenTexts | undefined
  join: Pick<Join, 'report' | 'check'>
}

/** Returns the result of a query without labels. */
export function noLabels(why?: string): QueryLabels {
  const leftOut = why === undefined ? {} : { [why]: 1 }
  return { part: '', summary: { ...emptySummary, leftOut, position: 1 }, answered: false }
}

/** Returns the result of a query with labels. */
export function queryLabels(
  context: LabelContext,
  labels: Labels,
  { docs, layout, texts, join }: LabelWriting,
): QueryLabels {
  const result = { ...noLabels(), answered: true }
  const entry = entryOf(docs, context, labels)
  const written = hasRows(layout.format)
    ? formatLabelsOrSkip(...rowOf(docs, context, labels, entry, layout), layout, texts, join)
    : formatLabelsOrSkip(entry, [], layout, texts, join)
  if (typeof written === 'string') {
    addLabels(result.summary, labels, context.grades.length)
    result.part = written
  } else result.summary.leftOut[written.leftOut] = 1
  return result
}

/**
 * Returns the labels and the candidates for negatives of a training row, without documents of a low
 * grade. For hard negatives, it also drops ground truth that the search did not find: such a
 * positive document would teach an encoder to leave the neighborhood of its query.
 */
function rowOf(
  docs: Pick<Embeddings, 'idOf'>,
  { rows, grades, found, graded }: LabelContext,
  labels: Labels,
  entry: LabeledQuery,
  { format }: LabelLayout,
): [LabeledQuery, string[]] {
  const isHard = format === 'hard-negatives'
  const choose = isHard ? unlabeled : lowEvidence
  const low = choose(labels, grades.length).map((candidate) => docs.idOf(rows[candidate]!))
  const missed = isHard ? entry.groundTruth.filter((_, l) => !found[l]) : []
  const out = new Set([...graded, ...missed])
  if (out.size === 0) return [entry, low]
  const kept = entry.docs.map((id) => !out.has(id))
  const pure = {
    ...entry,
    docs: entry.docs.filter((_, i) => kept[i]),
    labels: Array.from(entry.labels).filter((_, i) => kept[i]),
    evidence: entry.evidence && Array.from(entry.evidence).filter((_, i) => kept[i]),
  }
  return [pure, low.filter((id) => !out.has(id))]
}

/**
 * Returns the candidates with little evidence, by descending evidence: candidates without a label,
 * or the lower half if all have one. The first `truths` candidates are the ground truth, and are
 * never included.
 */
function lowEvidence({ kept, evidence }: Labels, truths: number): number[] {
  const others = unlabeled({ kept, evidence }, truths)
  if (others.length === 0) return lowerHalf([...kept].filter((c) => c >= truths))
  return others.sort((a, b) => evidence[b]! - evidence[a]! || a - b)
}

/** Returns the candidates without a label and outside the ground truth, in the order of the run. */
function unlabeled(
  { kept, evidence }: Pick<Labels, 'kept' | 'evidence'>,
  truths: number,
): number[] {
  const labeled = new Set(kept)
  return [...evidence.keys()].filter((c) => c >= truths && !labeled.has(c))
}

/** Returns the second half of a list, including the middle element. */
export function lowerHalf<T>(list: readonly T[]): T[] {
  return list.slice(Math.floor(list.length / 2))
}

/** Converts a context's labels from rows to ids. */
function entryOf(
  docs: Pick<Embeddings, 'idOf'>,
  { query, rows, grades }: LabelContext,
  labels: Labels,
): LabeledQuery {
  const ids = Array.from(labels.kept, (candidate) => docs.idOf(rows[candidate]!))
  return {
    query,
    docs: ids,
    labels: labels.target,
    evidence: Array.from(labels.kept, (candidate) => labels.evidence[candidate]!),
    groundTruth: grades.map((_, l) => docs.idOf(rows[l]!)),
  }
}

/** The number of queries left out, by reason. */
export type LeftOut = Record<string, number>

/** Statistics of the labels written so far: plain numbers, so that a journal can store them. */
export interface LabelSummary {
  /** Number of processed queries of the run. */
  position: number
  /** Number of queries with labels. */
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

/** Sums the summaries of shards. */
export function addSummaries(summaries: readonly LabelSummary[]): LabelSummary {
  const sum = structuredClone(emptySummary)
  for (const summary of summaries) addSummary(sum, summary)
  return sum
}

/** Adds a summary to another one. */
export function addSummary(sum: LabelSummary, summary: LabelSummary): void {
  sum.position += summary.position
  sum.queries += summary.queries
  sum.groundTruthMass += summary.groundTruthMass
  sum.carriers += summary.carriers
  sum.groundTruthNotHighest += summary.groundTruthNotHighest
  for (const [why, count] of Object.entries(summary.leftOut)) {
    sum.leftOut[why] = (sum.leftOut[why] ?? 0) + count
  }
}

/** Returns whether a value read from a file is a summary. */
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
