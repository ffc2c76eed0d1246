import type { Labels } from '@kith/core'
import type { AppendPart, Embeddings, LabelledQuery } from '@kith/ir'
import type { Join } from '../join/join.ts'
import { addLabels, type LabelSummary } from './label-summary.ts'
import { type LabelPlan, type LabelTask, type LeftOut, labelTasks } from './label-tasks.ts'

/** Queries that are written at a time: the most that a stop can lose. */
export const PART = 512

/** How queries are labelled. */
export interface LabelWork {
  plan: LabelPlan
  /** The join whose report gets the missing ids. */
  join: Join
  run(tasks: AsyncIterable<LabelTask>): AsyncIterable<[LabelTask, Labels]>
  /** A query's text in the file, or why it is left out; undefined where it does not fit the format. */
  format(task: LabelTask, labels: Labels): string | { leftOut: string } | undefined
}

/** Labels the queries of a plan and passes them on part by part, each with the summary up to it. */
export async function labelAll(
  { plan, join, run, format }: LabelWork,
  append: AppendPart<LabelSummary>,
  before: LabelSummary,
): Promise<LabelSummary> {
  const summary = structuredClone(before)
  const leftOut: LeftOut = { ...before.leftOut }
  // Tasks are made ahead of their answers, so each is noted with the counts of queries left out before it.
  const noted: LeftOut[] = []
  const tasks = async function* (): AsyncGenerator<LabelTask> {
    for await (const task of labelTasks(plan, leftOut, join)) {
      noted.push({ ...leftOut })
      yield task
    }
  }
  // Queries that are left out when they are written: the format needs a text that they lack.
  const lacking: LeftOut = {}
  let part = ''
  let size = 0
  for await (const [task, labels] of run(tasks())) {
    summary.leftOut = withMore(noted.shift()!, lacking)
    summary.position = task.position + 1
    const written = format(task, labels)
    if (typeof written === 'string') {
      addLabels(summary, labels, task.grades.length)
      part += written
    } else if (written === undefined) summary.unfit++
    else {
      lacking[written.leftOut] = (lacking[written.leftOut] ?? 0) + 1
      summary.leftOut = withMore(summary.leftOut, { [written.leftOut]: 1 })
    }
    if (++size < PART) continue
    await append(part, structuredClone(summary))
    part = ''
    size = 0
  }
  summary.leftOut = withMore(leftOut, lacking)
  summary.position = plan.to
  await append(part, structuredClone(summary))
  return summary
}

/** The sum of two sets of counts. */
function withMore(counts: LeftOut, more: LeftOut): LeftOut {
  const sum = { ...counts }
  for (const [why, count] of Object.entries(more)) sum[why] = (sum[why] ?? 0) + count
  return sum
}

/** A task's labels with ids in the place of rows. */
export function entryOf(
  docs: Embeddings,
  { query, rows, grades }: LabelTask,
  labels: Labels,
): LabelledQuery {
  const ids = Array.from(labels.kept, (candidate) => docs.idOf(rows[candidate]!))
  return {
    query,
    docs: ids,
    labels: labels.target,
    evidence: Array.from(labels.kept, (candidate) => labels.evidence[candidate]!),
    groundTruth: grades.map((_, l) => docs.idOf(rows[l]!)),
  }
}
