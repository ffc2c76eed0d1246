import type { Labels } from '@kith/core'
import type { Embeddings, LabeledQuery } from '@kith/ir'
import type { Join } from '../join/join.ts'
import type { OpenTexts } from '../join/open-texts.ts'
import { formatLabelsOrSkip, hasRows, type LabelLayout } from './label-format.ts'
import type { LabelContext } from './label-slice.ts'
import { addLabels, emptySummary, type LabelSummary } from './label-summary.ts'

/** The result of one query: its text in the file, and its share of the summary. */
export interface QueryLabels {
  part: string
  summary: LabelSummary
  /** Whether the query got labels, even labels that make no training row. */
  answered: boolean
}

/** Everything that decides how a query's labels are written. */
export interface LabelWriting {
  docs: Pick<Embeddings, 'idOf'>
  layout: LabelLayout
  texts: OpenTexts | undefined
  join: Pick<Join, 'report' | 'check'>
}

/** The result of a query without labels. */
export function noLabels(why?: string): QueryLabels {
  const leftOut = why === undefined ? {} : { [why]: 1 }
  return { part: '', summary: { ...emptySummary, leftOut, position: 1 }, answered: false }
}

/** The result of a query whose labels were made. */
export function queryLabels(
  context: LabelContext,
  labels: Labels,
  { docs, layout, texts, join }: LabelWriting,
): QueryLabels {
  const result = { ...noLabels(), answered: true }
  const low = hasRows(layout.format) ? lowEvidence(labels, context.grades.length) : []
  const ids = low.map((candidate) => docs.idOf(context.rows[candidate]!))
  const written = formatLabelsOrSkip(entryOf(docs, context, labels), ids, layout, texts, join)
  if (typeof written === 'string') {
    addLabels(result.summary, labels, context.grades.length)
    result.part = written
  } else result.summary.leftOut[written.leftOut] = 1
  return result
}

/**
 * Candidates with little evidence, by descending evidence: those without a label, or the lower half
 * where all have one. The first `truths` candidates are the ground truth, and never among them.
 */
function lowEvidence({ kept, evidence }: Labels, truths: number): number[] {
  const labeled = new Set(kept)
  const others = [...evidence.keys()].filter((c) => c >= truths && !labeled.has(c))
  if (others.length === 0) return lowerHalf([...kept].filter((c) => c >= truths))
  return others.sort((a, b) => evidence[b]! - evidence[a]! || a - b)
}

/** The second half of a list, its middle included. */
export function lowerHalf<T>(list: readonly T[]): T[] {
  return list.slice(Math.floor(list.length / 2))
}

/** A context's labels with ids in the place of rows. */
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
