import type { PreparedText } from '@kith/core'
import { injectGroundTruth } from '@kith/core/internal'
import type { Embeddings, Qrels, RankedQuery } from '@kith/ir'
import { type DocumentId, Join } from '../join/join.ts'
import type { MissingPolicy } from '../join/missing.ts'
import type { OpenTexts } from '../join/open-texts.ts'
import type { QueryTask } from '../tasks/job.ts'

/** One query to label. */
export interface LabelTask extends QueryTask {
  /** Its place in the run, counted over all queries. */
  position: number
  /** Its row among the queries' embeddings. */
  row: number
  /** The rows of the context's documents, the ground truth first. */
  rows: Uint32Array
  /** The grades of the ground truth: as many as there are such documents. */
  grades: number[]
  /** The texts of the query and of the documents, where the words are looked at. */
  texts: PreparedText[] | undefined
}

/** The data and settings that a query's task is made with. */
export interface LabelRules {
  qrels: Pick<Qrels, 'get'>
  level: number
  queries: Pick<Embeddings, 'rowOf'>
  docs: Pick<Embeddings, 'idOf'>
  texts: OpenTexts | undefined
  contextSize: number
}

/** The rankings to label, and the data and settings for it. */
export interface LabelPlan extends LabelRules {
  rankings: AsyncIterable<RankedQuery>
  docs: Pick<Embeddings, 'idOf' | 'rowOf'>
  missing: MissingPolicy
  /** The first and the end of the places in the run that are wanted. */
  from: number
  to: number
}

/** Why queries were left out, and how many. */
export type LeftOut = Record<string, number>

/** The join of the rankings with embeddings, and with texts where they count. */
export function labelJoin({
  queries,
  docs,
  texts,
  missing,
}: Pick<LabelPlan, 'queries' | 'docs' | 'texts' | 'missing'>): Join {
  return new Join({ queries, docs, texts }, missing)
}

/**
 * Turns rankings into tasks, one at a time. Queries without ground truth, or with more of it than a
 * context holds, are left out; queries and documents without an embedding or a text are an error, or
 * left out too.
 *
 * @param join The join whose report gets the missing ids.
 */
export async function* labelTasks(
  plan: LabelPlan,
  leftOut: LeftOut,
  join: Join = labelJoin(plan),
): AsyncGenerator<LabelTask> {
  let position = -1
  for await (const ranking of plan.rankings) {
    position++
    if (position < plan.from) continue
    if (position >= plan.to) return
    const task = labelTask(plan, join, ranking, position)
    join.check(`query ${ranking.query}: `)
    if (typeof task !== 'string') yield task
    else leftOut[task] = (leftOut[task] ?? 0) + 1
  }
}

/** A ranking's task, or why it has none. */
export function labelTask<Id extends DocumentId>(
  { qrels, level, queries, docs, texts, contextSize }: LabelRules,
  join: Join<Id>,
  { query, ids }: { query: string; ids: ArrayLike<Id> },
  position: number,
): LabelTask | string {
  const judgments = qrels.get(query)
  // A query without ground truth needs no embedding.
  if (!hasTruth(judgments, level)) return 'no ground truth'
  const row = join.query(query)
  if (row === undefined) {
    return `the query has no ${queries.rowOf(query) === undefined ? 'embedding' : 'text'}`
  }
  const { rows: judged, grades } = join.truth(judgments, level)
  if (judged.length === 0) return 'ground truth lacks embeddings'
  if (judged.length > contextSize) return 'more ground truth than the context'
  // The ground truth may be among them, so this many always fill the context.
  const { rows: retrieved } = join.candidates(ids, contextSize)
  const rows = injectGroundTruth(judged, retrieved, contextSize)
  const named = (): string[] => rows.map((at) => docs.idOf(at))
  return {
    query,
    position,
    row,
    rows: new Uint32Array(rows),
    grades,
    texts: texts?.prepared(query, named()),
  }
}

function hasTruth(judgments: ReadonlyMap<string, number> | undefined, level: number): boolean {
  for (const grade of judgments?.values() ?? []) if (grade >= level) return true
  return false
}
