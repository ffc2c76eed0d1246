import { injectGroundTruth, KithError, type PreparedText } from '@kith/core'
import type { Embeddings, Qrels, RankedQuery } from '@kith/ir'
import type { TextPair } from '../join/text-pair.ts'
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

/** What is to be labelled, and with what. */
export interface LabelPlan {
  rankings: AsyncIterable<RankedQuery>
  qrels: Qrels
  level: number
  queries: Embeddings
  docs: Embeddings
  texts: TextPair | undefined
  contextSize: number
  missing: 'error' | 'skip'
  /** The first and the end of the places in the run that are wanted. */
  from: number
  to: number
}

/** Why queries were left out, and how many. */
export type LeftOut = Record<string, number>

/**
 * Turns rankings into tasks, as they are asked for. Queries without ground truth, or with more of
 * it than a context holds, are left out; what has no embedding or text is an error, or left out too.
 */
export async function* labelTasks(plan: LabelPlan, leftOut: LeftOut): AsyncGenerator<LabelTask> {
  let position = -1
  for await (const ranking of plan.rankings) {
    position++
    if (position < plan.from) continue
    if (position >= plan.to) return
    const task = taskOf(plan, ranking, position)
    if (typeof task !== 'string') yield task
    else leftOut[task] = (leftOut[task] ?? 0) + 1
  }
}

/** A ranking's task, or why it has none. */
function taskOf(
  plan: LabelPlan,
  { query, ids }: RankedQuery,
  position: number,
): LabelTask | string {
  const { queries, docs, missing, texts, contextSize } = plan
  const truth = [...(plan.qrels.get(query) ?? [])].filter(([, grade]) => grade >= plan.level)
  if (truth.length === 0) return 'no ground truth'
  const lose = (what: string, reason: string): string => {
    if (missing === 'skip') return reason
    throw new KithError('BAD_INPUT', `query ${query}: ${what} (--missing skip goes on without)`)
  }
  const row = queries.rowOf(query)
  if (row === undefined) return lose('the query has no embedding', 'the query has no embedding')
  if (texts && !texts.query(query)) return lose('the query has no text', 'the query has no text')
  /** A document's row; undefined where it lacks something and may. */
  const rowOf = (kind: string, id: string): number | undefined => {
    const at = docs.rowOf(id)
    if (at !== undefined && (!texts || texts.has(id))) return at
    lose(`${kind} ${id} has no ${at === undefined ? 'embedding' : 'text'}`, '')
    return undefined
  }
  const judged: number[] = []
  const grades: number[] = []
  for (const [id, grade] of truth) {
    const at = rowOf('ground truth', id)
    if (at === undefined) continue
    judged.push(at)
    grades.push(grade)
  }
  if (judged.length === 0) return 'ground truth lacks embeddings'
  if (judged.length > contextSize) return 'more ground truth than --context'
  const retrieved: number[] = []
  for (const id of ids) {
    const at = rowOf('candidate', id)
    if (at !== undefined) retrieved.push(at)
    // The ground truth may be among them, so this many always fill the context.
    if (retrieved.length === contextSize) break
  }
  const rows = injectGroundTruth(judged, retrieved, contextSize)
  const named = (): string[] => rows.map((at) => docs.idOf(at))
  return {
    query,
    position,
    row,
    rows: Uint32Array.from(rows),
    grades,
    texts: texts?.prepared(query, named()),
  }
}
