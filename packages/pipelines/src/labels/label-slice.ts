/** Makes contexts with ground truth, for labels of files and batches, and for audits. */

import { type LabelSettings, type Labels, type PreparedText, Reranker } from '@kith/core'
import { injectGroundTruth, tokenizerOf } from '@kith/core/internal'
import type { Embeddings, Qrels } from '@kith/ir'
import { type SharedQrels, sharedQrels } from '@kith/ir/internal'
import { loadLanguages } from '@kith/languages/load'
import {
  type ContextRows,
  type ContextVectors,
  ListedDocuments,
  openSlices,
  type SliceSources,
} from '../join/contexts.ts'
import { type DocumentId, Join } from '../join/join.ts'
import type { MissingIds, MissingPolicy } from '../join/missing.ts'
import { OpenTexts, type SharedOpenTexts } from '../join/open-texts.ts'
import type { Job } from '../tasks/job.ts'
import { type OpenRun, readSlice, type SliceTask } from '../tasks/open-run.ts'
import type { LabelLayout } from './label-format.ts'
import { noLabels, type QueryLabels, queryLabels } from './query-labels.ts'

/** A query with its ground truth and candidates, by row. */
export interface LabelContext extends ContextRows {
  /** The rows of the documents, the ground truth first. */
  rows: Uint32Array
  /** The grades of the ground truth, one per document of the ground truth. */
  grades: number[]
  /**
   * Whether each document of the ground truth was among the candidates; the others were injected.
   */
  found: boolean[]
  /**
   * Documents with a grade above 0 but below the ground truth's minimum: they are not negatives.
   */
  graded: ReadonlySet<string>
  /** The texts of the query and of the documents, if texts are compared. */
  texts: PreparedText[] | undefined
}

/** The data and the rules for making contexts. */
interface LabelRules {
  qrels: Pick<Qrels, 'get'>
  level: number
  queries: Pick<Embeddings, 'rowOf'>
  docs: Pick<Embeddings, 'idOf'>
  /** The texts, if they are compared. */
  texts: OpenTexts | undefined
  contextSize: number
}

/**
 * Makes the context of a query, or returns why it has none: no ground truth, more ground truth than
 * `contextSize`, or missing data that may be skipped. Throws for other missing data.
 */
export function labelContext<Id extends DocumentId>(
  rules: LabelRules,
  join: Join<Id>,
  candidates: { query: string; ids: ArrayLike<Id> },
): LabelContext | string {
  const context = contextOf(rules, join, candidates)
  join.check(`query ${candidates.query}: `)
  return context
}

function contextOf<Id extends DocumentId>(
  { qrels, level, queries, docs, texts, contextSize }: LabelRules,
  join: Join<Id>,
  { query, ids }: { query: string; ids: ArrayLike<Id> },
): LabelContext | string {
  const judgments = qrels.get(query)
  // A query without ground truth needs no embedding.
  if (!hasTruth(judgments, level)) return 'no ground truth'
  const row = join.query(query)
  if (row === undefined) {
    return `the query has no ${queries.rowOf(query) === undefined ? 'embedding' : 'text'}`
  }
  const { rows: judged, grades } = join.truth(judgments, level)
  if (judged.length === 0) return 'the ground truth has no embedding'
  if (judged.length > contextSize) return 'more ground truth than contextSize'
  // The candidates may include the ground truth, so this number always fills the context.
  const { rows: retrieved } = join.candidates(ids, contextSize)
  const rows = injectGroundTruth(judged, retrieved, contextSize)
  const found = judged.map((at) => retrieved.includes(at))
  const named = (): string[] => rows.map((at) => docs.idOf(at))
  const graded = new Set<string>()
  for (const [id, grade] of judgments ?? []) if (grade > 0 && grade < level) graded.add(id)
  const prepared = texts?.prepared(query, named())
  return { query, row, rows: new Uint32Array(rows), grades, found, graded, texts: prepared }
}

function hasTruth(judgments: ReadonlyMap<string, number> | undefined, level: number): boolean {
  for (const grade of judgments?.values() ?? []) if (grade >= level) return true
  return false
}

/** Creates a function that makes the labels of contexts. */
export function labelerOf(
  settings: LabelSettings,
  contexts: ContextVectors,
): (context: LabelContext) => Labels {
  const method = new Reranker(settings)
  return (context) => {
    const { grades, texts: prepared } = context
    const [text, ...texts] = prepared ?? []
    // The ground truth comes first among the candidates.
    const groundTruth = { candidates: [...grades.keys()], grades }
    return contexts.use(context, ({ vector, vectors }) =>
      method.smoothLabels({ vector, text }, { vectors, texts: prepared && texts }, groundTruth),
    )
  }
}

/**
 * The inputs for making the contexts of a run's slices, in a form that can be sent to a worker
 * thread.
 */
export interface LabelSliceInputs extends SliceSources {
  qrels: SharedQrels
  /** The texts to compare or write, if any. */
  texts: SharedOpenTexts | undefined
  settings: LabelSettings
  level: number
  missing: MissingPolicy
  /** Whether the texts are compared. */
  compares: boolean
}

/** A slice, and the range of its queries to label. */
export interface LabelSliceTask {
  slice: SliceTask
  from: number
  to: number
}

/** Yields the slices of a run that overlap a range of queries, each with its part of the range. */
export async function* slicesBetween(
  run: OpenRun,
  from: number,
  to: number,
): AsyncGenerator<LabelSliceTask> {
  let position = 0
  for await (const { task, queries } of run.slices()) {
    const [first, end] = [Math.max(0, from - position), Math.min(queries, to - position)]
    if (first < end) yield { slice: task, from: first, to: end }
    position += queries
  }
}

/** The results of a slice's queries, in order, and the ids with missing data. */
export interface SliceResults<T> {
  results: T[]
  missing: MissingIds[]
}

/** The contexts of a run's slices, in a worker thread. */
interface LabelContexts {
  qrels: Pick<Qrels, 'get'>
  docs: Pick<Embeddings, 'idOf'>
  texts: OpenTexts | undefined
  vectors: ContextVectors
  /**
   * Reads and joins a slice; calls `work` with each context, or with the reason why there is none.
   */
  map<T>(
    task: LabelSliceTask,
    work: (context: LabelContext | string, join: Pick<Join, 'report' | 'check'>) => T,
  ): SliceResults<T>
}

/** Opens the contexts that another thread shares. */
export async function openLabelContexts(inputs: LabelSliceInputs): Promise<LabelContexts> {
  const { settings, level, missing, compares } = inputs
  const { queries, docs, vectors } = openSlices(inputs)
  const tokenizer = tokenizerOf(settings)
  await loadLanguages(tokenizer)
  const texts = inputs.texts && OpenTexts.over(inputs.texts, tokenizer)
  const compared = compares ? texts : undefined
  const qrels = sharedQrels(inputs.qrels)
  const { contextSize } = settings
  const rules = { qrels, level, queries, docs, texts: compared, contextSize }
  return {
    ...{ qrels, docs, texts, vectors },
    map({ slice, from, to }, work) {
      const { list, documents } = readSlice(slice)
      const listed = new ListedDocuments(docs, documents)
      const present = compared && {
        hasQuery: (id: string) => compared.hasQuery(id),
        hasDocument: (id: number | string) => compared.hasDocument(listed.nameOf(id)),
      }
      const join = new Join({ queries, docs: listed, texts: present }, missing)
      const results = list
        .slice(from, to)
        .map((candidates) => work(labelContext(rules, join, candidates), join))
      vectors.checkUnchanged()
      return { results, missing: join.report.all() }
    },
  }
}

/**
 * Opens a job that labels one slice after another: reads, joins, labels and formats its rankings.
 */
export async function openLabelSliceJob(
  inputs: LabelSliceInputs & { layout: LabelLayout },
): Promise<Job<LabelSliceTask, SliceResults<QueryLabels>>> {
  const { layout, settings } = inputs
  const contexts = await openLabelContexts(inputs)
  const { docs, texts, vectors } = contexts
  const label = labelerOf(settings, vectors)
  return {
    run: (task) =>
      contexts.map(task, (context, join) => {
        if (typeof context === 'string') return noLabels(context)
        return queryLabels(context, label(context), { docs, layout, texts, join })
      }),
  }
}
