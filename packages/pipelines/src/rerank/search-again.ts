import type { MethodSettings } from '@kith/core'
import { feedbackQuery } from '@kith/core/internal'
import { type Embeddings, type RankedQuery, type Run, readRun, writeRun } from '@kith/ir'
import { searchExact } from '@kith/stores'
import { type Hooks, stageOf } from '../hooks.ts'
import { remarkMissing } from '../join/missing.ts'
import type { OpenReranking, Reranked, RerankingPlan } from './rerank-slices.ts'
import { type RerankTask, rerankTasks } from './rerank-tasks.ts'

/** Searches all documents again for each query of a run, and writes the result. */
export async function searchRunAgain(
  { run: opened, queries, docs, texts, lookedAt }: OpenReranking,
  plan: RerankingPlan & { run: string },
  hooks: Hooks,
): Promise<Reranked> {
  const { out, settings, missing, workers, crossEncoding } = plan
  const run = opened.whole ?? (await readRun(plan.run))
  const { list, report } = rerankTasks({ run, queries, docs, texts, missing, lookedAt })
  remarkMissing(report, hooks)
  const onDone = stageOf(hooks, 'reranking', list.length)
  const found = searchAgain({ tasks: list, run, queries, docs, settings, workers, onDone })
  await writeRun(out, crossEncoding ? crossEncoding.reorder(found, hooks) : found)
  return { reranked: list.length, report }
}

/** The inputs of the second search. */
interface SearchAgain {
  tasks: readonly RerankTask[]
  run: Run
  queries: Embeddings
  docs: Embeddings
  settings: MethodSettings
  workers: number | undefined
  onDone(queries: number): void
}

/**
 * Pseudo-relevance feedback with a second search: every document is compared with the vector that
 * the first candidates have moved. As many are found as the run has; queries without a task keep
 * their ranking.
 */
async function* searchAgain(inputs: SearchAgain): AsyncGenerator<RankedQuery> {
  const { tasks, run, queries, docs, settings, workers, onDone } = inputs
  const { dimensions } = docs
  const data = new Float32Array(tasks.length * dimensions)
  tasks.forEach(({ row, rows }, i) => {
    const trusted = rows.subarray(0, settings.feedbackDocs)
    const vectors = docs.gather(trusted, new Float32Array(trusted.length * dimensions))
    const query = queries.read(row, row + 1)
    const candidates = { data: vectors, rows: trusted.length, dimensions }
    data.set(feedbackQuery(query, candidates, settings), i * dimensions)
  })
  const depth = tasks.reduce((most, { places }) => Math.max(most, places.length), 0)
  // Still undecided are vectors of length 1, which both metrics put in the same order.
  const metric = settings.metric === 'auto' ? 'dot' : settings.metric
  const found = await searchExact({ data, rows: tasks.length, dimensions }, docs, {
    top: depth,
    metric,
    ...(workers === undefined ? {} : { workers }),
    onProgress: (done, total) => onDone(Math.floor((done / total) * tasks.length)),
  })
  let next = 0
  for (const query of run.queries) {
    const task = tasks[next]
    if (task?.query !== query) {
      yield run.get(query)!
      continue
    }
    const from = next++ * found.perQuery
    const to = from + Math.min(found.perQuery, task.places.length)
    const ids = Array.from(found.rows.subarray(from, to), (row) => docs.idOf(row))
    yield { query, ids, scores: found.scores.subarray(from, to) }
  }
}
