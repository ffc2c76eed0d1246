import { type Candidates, type Context, contextOf, type Query, requireVectors } from '../context.ts'
import { KithError } from '../error.ts'
import { isObject } from '../matrix.ts'
import { similarities } from '../method/similarities.ts'
import { refuseIdle, useOf } from '../settings/idle.ts'
import { presetOf } from '../settings/setting.ts'
import { range, resolve } from '../settings/setting-rules.ts'
import { show } from '../settings/show.ts'
import { WorkspacePool } from '../workspace.ts'
import {
  defaultLabelSettings,
  type LabelSettings,
  labelRows,
  type PartialLabelSettings,
  resolveLabelSettings,
} from './label-settings.ts'
import { labelsOf } from './labels.ts'

/** An unjudged candidate that may be relevant, by its index. */
export interface Finding {
  candidate: number
  /** r'': the evidence that it is relevant. */
  evidence: number
  /** The relevant candidates that are most similar to it, best first, three at the most. */
  relevantNeighbors: RelevantNeighbor[]
}

/** A relevant candidate that supports another. */
export interface RelevantNeighbor {
  candidate: number
  /** The similarity of the embeddings. */
  similarity: number
  /** The Jaccard overlap of the reciprocal neighborhoods. */
  jaccard: number
}

/** The settings of an audit: label settings, and these. */
export interface AuditSettings extends PartialLabelSettings {
  /** The lowest grade of a relevant document, above 0. Default: 1. */
  level?: number | undefined
  /** Maximum number of findings per query. Default: 10. */
  perQuery?: number | undefined
}

/**
 * The default settings of an audit. It looks deeper than a reranking, and all documents known to be
 * relevant must fit.
 */
export const auditPreset: LabelSettings = presetOf(defaultLabelSettings, {
  contextSize: 200,
  target: 'joint',
})

/** Relevant candidates that are named for one that may be. */
const RELEVANT_NEIGHBORS = 3

const own = { level: 1, perQuery: 10 }
const ownRules = {
  level: range({ from: 0, above: true }),
  perQuery: range({ from: 1, integer: true }),
}

const memory = /* @__PURE__ */ new WorkspacePool()

/**
 * Lists the unjudged candidates of a query that are probably relevant, most evidence first: they are
 * similar to the query and to the candidates judged relevant. Add relevant documents that were not
 * retrieved to the candidates.
 *
 * ```ts
 * const findings = auditCandidates(query, candidates, [1, undefined, 0, undefined])
 * ```
 *
 * @param grades The judged grade of each candidate; undefined or negative if it has no judgment.
 */
export function auditCandidates(
  query: Query,
  candidates: Candidates,
  grades: readonly (number | undefined)[],
  given: AuditSettings = {},
): Finding[] {
  if (!isObject(given)) {
    throw new KithError('BAD_INPUT', `settings must be an object, got ${show(given)}`)
  }
  const { level: givenLevel, perQuery: givenCount, ...rest } = given
  const { level, perQuery } = resolve({ level: givenLevel, perQuery: givenCount }, own, ownRules)
  const settings = resolveLabelSettings(rest, auditPreset)
  refuseIdle(rest, settings, useOf(candidates, { job: 'audit' }), labelRows)
  return memory.use((workspace) => {
    const context = contextOf(query, candidates, Infinity, workspace.postings, settings)
    requireVectors(context, 'an audit')
    const judged = checkGrades(grades, context)
    const relevant = indicesOf(judged, (grade) => grade >= level)
    if (relevant.length === 0) return []
    const engine = workspace.engine(settings.kernel)
    const rows = relevant.map((candidate) => candidate + 1)
    const truth = { rows, grades: relevant.map((candidate) => judged[candidate]!) }
    const { evidence } = labelsOf(engine, context, truth, settings)
    const found = similarities(engine, embeddingsOf(context), rows, neighborhood(settings))
    return indicesOf(judged, (grade) => grade < 0)
      .sort((a, b) => evidence[b]! - evidence[a]! || a - b)
      .slice(0, perQuery)
      .map((candidate) => ({
        candidate,
        evidence: evidence[candidate]!,
        relevantNeighbors: relevant
          .map((known, l) => ({
            candidate: known,
            similarity: found.geometric[l]![candidate + 1]!,
            jaccard: found.jaccard[l]![candidate + 1]!,
          }))
          .sort((a, b) => b.similarity - a.similarity || a.candidate - b.candidate)
          .slice(0, RELEVANT_NEIGHBORS),
      }))
  })
}

/** The grade of each candidate, -1 if it is not judged. */
function checkGrades(
  grades: readonly (number | undefined | null)[],
  { candidates }: Context,
): number[] {
  if (!Array.isArray(grades) || grades.length !== candidates) {
    const given = Array.isArray(grades) ? `${grades.length} grades` : show(grades)
    throw new KithError(
      'BAD_SHAPE',
      `expected ${candidates} grades, one (or undefined) per candidate, got ${given}`,
    )
  }
  return Array.from(grades, (grade: number | undefined | null) => {
    if (grade === undefined || grade === null) return -1
    if (typeof grade === 'number' && Number.isFinite(grade)) return grade
    throw new KithError(
      'BAD_INPUT',
      `a grade must be a finite number or undefined, got ${show(grade)}`,
    )
  })
}

function indicesOf(grades: readonly number[], wanted: (grade: number) => boolean): number[] {
  return [...grades.keys()].filter((candidate) => wanted(grades[candidate]!))
}

/** The context without its words and further views. */
function embeddingsOf(context: Context): Context {
  const views = new Map([['vectors', context.views.get('vectors')!]])
  return { ...context, views, texts: undefined }
}

/** The settings for the neighborhoods as the embeddings alone show them. */
function neighborhood(settings: LabelSettings): LabelSettings {
  return { ...settings, mix: 'raw', views: { vectors: { graph: 1, score: 1 } } }
}
