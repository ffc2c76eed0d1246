import { auditCandidates, type Finding } from '@kith/core'
import type { RankedQuery } from '@kith/ir'
import {
  type LabelContext,
  type LabelSliceInputs,
  type LabelSliceTask,
  labelerOf,
  openLabelContexts,
  type SliceResults,
} from '../labels/label-slice.ts'
import type { Job } from '../tasks/job.ts'
import type { AuditEntry } from './judging.ts'

/** The inputs for auditing the slices of a run. */
export interface AuditSliceInputs extends LabelSliceInputs {
  /**
   * Number of documents to list per query; undefined: all unjudged documents with their evidence.
   */
  perQuery: number | undefined
}

/**
 * The reason why a query was left out, its listed documents, or all its unjudged documents ranked
 * by evidence.
 */
export type AuditedQuery =
  | { leftOut: string }
  | { entries: AuditEntry[] }
  | { unjudged: RankedQuery }

/** Opens a job that audits one slice after another. */
export async function openAuditSliceJob(
  inputs: AuditSliceInputs,
): Promise<Job<LabelSliceTask, SliceResults<AuditedQuery>>> {
  const { settings, level, perQuery } = inputs
  const contexts = await openLabelContexts(inputs)
  const { docs, qrels, vectors } = contexts
  const label = labelerOf(settings, vectors)

  const entriesOf = (context: LabelContext, most: number): AuditEntry[] => {
    const judged = qrels.get(context.query)!
    const idOf = (candidate: number): string => docs.idOf(context.rows[candidate]!)
    const grades = Array.from(context.rows, (_, candidate) => judged.get(idOf(candidate)))
    const [text, ...texts] = context.texts ?? []
    const findings = vectors.use(context, ({ vector, vectors: own }) => {
      const candidates = { vectors: own, texts: context.texts && texts }
      const chosen = { ...settings, level, perQuery: most }
      return auditCandidates({ vector, text }, candidates, grades, chosen)
    })
    return findings.map((finding) => entryOf(context.query, finding, idOf))
  }

  const unjudgedOf = (context: LabelContext): RankedQuery => {
    const { evidence } = label(context)
    const others = context.rows.subarray(context.grades.length)
    return {
      query: context.query,
      ids: Array.from(others, (row) => docs.idOf(row)),
      scores: evidence.slice(context.grades.length),
    }
  }

  return {
    run: (task) =>
      contexts.map(task, (context): AuditedQuery => {
        if (typeof context === 'string') return { leftOut: context }
        if (perQuery === undefined) return { unjudged: unjudgedOf(context) }
        return { entries: entriesOf(context, perQuery) }
      }),
  }
}

function entryOf(
  query: string,
  { candidate, evidence, relevantNeighbors }: Finding,
  idOf: (candidate: number) => string,
): AuditEntry {
  return {
    query,
    document: idOf(candidate),
    evidence,
    relevantNeighbors: relevantNeighbors.map(({ candidate: own, similarity, jaccard }) => {
      return { document: idOf(own), similarity, jaccard }
    }),
  }
}
