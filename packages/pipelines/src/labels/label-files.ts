import { shareQrels } from '@kith/ir/internal'
import type { Hooks } from '../job/hooks.ts'
import { sliceSources } from '../join/contexts.ts'
import { MissingReport, remarkMissing } from '../join/missing.ts'
import { checkTextPair, OpenTexts } from '../join/open-texts.ts'
import { type OpenVectors, openVectors } from '../join/open-vectors.ts'
import { documentsIn, rankingsIn, runMetric } from '../join/run-metric.ts'
import { openRun } from '../tasks/open-run.ts'
import { runTasks, workersFor } from '../tasks/task-pool.ts'
import { labelOrigin } from './label-origin.ts'
import type { LabelPlan, LabelResult } from './label-run.ts'
import { slicesBetween } from './label-slice.ts'
import { withMetric } from './label-work.ts'
import { writeLabelResults } from './write-labels.ts'

/** Makes labels with the embeddings of a file of documents. */
export async function labelFiles(
  plan: LabelPlan,
  docs: string,
  hooks: Hooks,
): Promise<LabelResult> {
  const pair = checkTextPair(plan)
  const { queries, dimensions, memory } = plan
  // Making labels finds by itself where a row is not finite.
  const vectors = await openVectors({ queries, docs, dimensions, memory, checked: false })
  let texts: OpenTexts | undefined
  try {
    texts = pair && (await OpenTexts.open(pair, plan.batch.settings.terms))
    return await labelWith(vectors, texts, { ...plan, docs }, hooks)
  } finally {
    await vectors.close()
    await texts?.close()
  }
}

async function labelWith(
  vectors: OpenVectors,
  texts: OpenTexts | undefined,
  asked: LabelPlan & { docs: string },
  hooks: Hooks,
): Promise<LabelResult> {
  const { queries, docs } = vectors
  const rankings = rankingsIn(asked.run)
  const ranked = { run: asked.run, rankings, queries, documents: documentsIn(docs) }
  const metric = await runMetric(asked.batch.settings.metric, ranked, hooks)
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
  const { texts: compares, ...work } = batch
  const inputs = {
    ...{ ...sliceSources(plan, vectors), ...work, compares },
    qrels: shareQrels(qrels),
    texts: texts?.share(),
  }
  const key = await origin.key()
  const run = await openRun(plan.run)
  const report = new MissingReport()
  const start = performance.now()
  const summary = await writeLabelResults(
    { out, layout: batch.layout, key, from, to, made },
    async function* (position) {
      const tasks = slicesBetween(run, position, to)
      const threads = workers ?? workersFor(to - position)
      const answers = runTasks('labels', inputs, tasks, threads, { batch: 1 })
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
