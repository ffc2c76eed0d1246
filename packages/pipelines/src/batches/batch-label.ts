import type { LabelSettings } from '@kith/core'
import type { Store } from '@kith/stores'
import type { MissingPolicy } from '../join/missing.ts'
import { OpenTexts } from '../join/open-texts.ts'
import { hasRows, type LabelLayout } from '../label/label-format.ts'
import { isSummary } from '../label/label-summary.ts'
import { type LabelTask, labelJoin, labelTasks } from '../label/label-tasks.ts'
import { noLabels, type QueryLabels, queryLabels } from '../label/query-labels.ts'
import { runTasks } from '../tasks/task-pool.ts'
import { batchVectors } from './batch-embeddings.ts'
import { type BatchItem, damaged } from './batch-item.ts'
import { documentTexts, queryTexts } from './batch-texts.ts'
import type { PortionAnswer } from './batch-work.ts'

/** The settings that a batch is labeled with. */
export interface LabelWork {
  settings: LabelSettings
  layout: LabelLayout
  level: number
  missing: MissingPolicy
  /** Whether the words are looked at. */
  texts: boolean
}

/** Labels a batch with documents from a store, by the same tasks and jobs as files are. */
export async function labelBatch(
  store: Store,
  work: LabelWork,
  items: readonly BatchItem[],
): Promise<PortionAnswer> {
  const { settings, layout, missing, texts: compares } = work
  const needed = neededIds(items, settings.contextSize, missing)
  const { documents, queries, docs, sources } = await batchVectors(store, items, needed)
  const texts =
    compares || hasRows(layout.format)
      ? OpenTexts.of(queryTexts(items), documentTexts(documents.values()), settings.tokenizer)
      : undefined
  const compared = compares ? texts : undefined
  const join = labelJoin({ queries, docs, texts: compared, missing })
  const results = new Map<string, QueryLabels>()
  const tasks: LabelTask[] = []
  for (const { query, ids, truth = [] } of items) {
    const result = noLabels()
    results.set(query, result)
    const plan = {
      rankings: one({ query, ids, scores: [] }),
      qrels: new Map([[query, new Map(truth)]]),
      level: work.level,
      queries,
      docs,
      texts: compared,
      contextSize: settings.contextSize,
      missing,
      from: 0,
      to: 1,
    }
    for await (const task of labelTasks(plan, result.summary.leftOut, join)) tasks.push(task)
  }
  const inputs = {
    ...sources,
    settings,
  }
  for await (const [task, labels] of runTasks('label', inputs, tasks, 1)) {
    results.set(task.query, queryLabels(task, labels, { docs, layout, texts, join }))
  }
  return {
    bodies: items.map(({ query }) => Buffer.from(JSON.stringify(results.get(query)!))),
    missing: join.report.all(),
  }
}

/** The result of one query, from its bytes. */
export function decodeLabels(query: string, body: Uint8Array): QueryLabels {
  let result: Partial<QueryLabels> | null
  try {
    result = JSON.parse(Buffer.from(body).toString('utf8'))
  } catch (error) {
    throw damaged(query, `its result is not JSON: ${(error as Error).message}`)
  }
  const { part, summary, answered } = result ?? {}
  if (typeof part === 'string' && isSummary(summary) && typeof answered === 'boolean') {
    return { part, summary, answered }
  }
  throw damaged(query, 'its result is not one of labels')
}

async function* one<T>(value: T): AsyncGenerator<T> {
  yield value
}

/** The ground truth and the candidates that fill the contexts; more where some may be skipped. */
function* neededIds(
  items: readonly BatchItem[],
  contextSize: number,
  missing: MissingPolicy,
): Generator<string> {
  for (const { ids, truth = [] } of items) {
    // A query without ground truth is left out.
    if (truth.length === 0) continue
    for (const [id] of truth) yield id
    yield* missing === 'skip' ? ids : ids.slice(0, contextSize)
  }
}
