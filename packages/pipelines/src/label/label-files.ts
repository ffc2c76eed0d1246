import { shareQrels } from '@kith/ir/internal'
import type { LabelWork } from '../batches/batch-label.ts'
import type { Hooks } from '../hooks.ts'
import { MissingReport, remarkMissing } from '../join/missing.ts'
import { OpenTexts } from '../join/open-texts.ts'
import { type OpenVectors, openVectors } from '../join/open-vectors.ts'
import { documentsIn, rankingsIn, runMetric } from '../join/run-metric.ts'
import { checkTextPair } from '../join/text-files.ts'
import { vectorSource } from '../join/vector-rows.ts'
import { type OpenRun, openRun } from '../tasks/open-run.ts'
import { runTasks, workersFor } from '../tasks/task-pool.ts'
import { labelOrigin } from './label-origin.ts'
import type { LabelInputs, LabelResult } from './label-run.ts'
import type { LabelSliceTask } from './label-slice.ts'
import { withMetric } from './label-work.ts'
import type { Shard } from './shard.ts'
import { writeLabelResults } from './write-labels.ts'

/** Inputs whose settings are complete and whose documents are in a file. */
export interface LabelFilesPlan extends LabelInputs {
  docs: string
  batch: LabelWork
  shard: Shard
}

/** Makes labels with embeddings from files. */
export async function labelFiles(plan: LabelFilesPlan, hooks: Hooks): Promise<LabelResult> {
  const pair = checkTextPair(plan)
  const { queries, docs, dimensions, memory } = plan
  // Making labels finds by itself where a row is not finite.
  const vectors = await openVectors({ queries, docs, dimensions, memory, checked: false })
  let texts: OpenTexts | undefined
  try {
    texts = pair && (await OpenTexts.open(pair, plan.batch.settings.tokenizer))
    return await labelWith(vectors, texts, plan, hooks)
  } finally {
    await vectors.close()
    await texts?.close()
  }
}

async function labelWith(
  { queries, docs }: OpenVectors,
  texts: OpenTexts | undefined,
  asked: LabelFilesPlan,
  hooks: Hooks,
): Promise<LabelResult> {
  const rankings = rankingsIn(asked.run)
  const sources = { run: asked.run, rankings, queries, documents: documentsIn(docs) }
  const metric = await runMetric(asked.batch.settings.metric, sources, hooks)
  const plan = { ...asked, batch: withMetric(asked.batch, metric) }
  const { out, batch, workers } = plan
  const files = [plan.run, plan.queries, plan.docs, plan.qrels, plan.corpus, plan.queryText]
  const origin = await labelOrigin(
    {
      ...plan,
      files: files.filter((file) => file !== undefined),
      embeddings: [plan.queries, plan.docs],
      store: undefined,
    },
    hooks,
  )
  const { qrels, from, to, made } = origin
  const inputs = {
    queries: vectorSource(plan.queries, queries),
    docs: vectorSource(plan.docs, docs),
    ids: { queries: queries.ids.share(), docs: docs.ids.share() },
    qrels: shareQrels(qrels),
    texts: texts?.share(),
    work: batch,
  }
  const key = await origin.key()
  const run = await openRun(plan.run)
  const report = new MissingReport()
  const start = performance.now()
  const summary = await writeLabelResults(
    { out, layout: batch.layout, key, from, to, made },
    async function* (position) {
      const tasks = partsOf(run, position, to)
      const threads = workers ?? workersFor(to - position)
      const answers = runTasks('label-slice', inputs, tasks, threads, { batch: 1 })
      for await (const [, { results, missing }] of answers) {
        report.addAll(missing)
        yield* results
      }
    },
    hooks,
  )
  const seconds = (performance.now() - start) / 1000
  remarkMissing(report, hooks)
  return { out, seconds, summary, missing: report.list() }
}

/** The slices of a run that have queries of a range, with their part of it. */
async function* partsOf(run: OpenRun, from: number, to: number): AsyncGenerator<LabelSliceTask> {
  let position = 0
  for await (const { task, queries } of run.slices()) {
    const [first, end] = [Math.max(0, from - position), Math.min(queries, to - position)]
    if (first < end) yield { slice: task, from: first, to: end }
    position += queries
  }
}
