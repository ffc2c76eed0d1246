import { streamRankings } from '@kith/ir'
import type { LabelWork } from '../batches/batch-label.ts'
import type { Hooks } from '../hooks.ts'
import { remarkMissing } from '../join/missing.ts'
import { OpenTexts } from '../join/open-texts.ts'
import { type OpenVectors, openVectors } from '../join/open-vectors.ts'
import { checkTextPair } from '../join/text-files.ts'
import { vectorSource } from '../join/vector-rows.ts'
import { runTasks, workersFor } from '../tasks/task-pool.ts'
import { entryOf, labelAll } from './label-all.ts'
import { formatLabelsOrSkip } from './label-format.ts'
import { labelOrigin } from './label-origin.ts'
import type { LabelInputs, LabelResult } from './label-run.ts'
import { labelJoin } from './label-tasks.ts'
import type { Shard } from './shard.ts'
import { writeLabels } from './write-labels.ts'

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
  const vectors = await openVectors({ queries, docs, dimensions, memory })
  let texts: OpenTexts | undefined
  try {
    texts = pair && (await OpenTexts.open(pair, plan.batch.settings.terms))
    return await labelWith(vectors, texts, plan, hooks)
  } finally {
    await vectors.close()
    await texts?.close()
  }
}

async function labelWith(
  { queries, docs }: OpenVectors,
  texts: OpenTexts | undefined,
  plan: LabelFilesPlan,
  hooks: Hooks,
): Promise<LabelResult> {
  const { out, batch, workers } = plan
  const { settings, layout, level, missing } = batch
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
  const compared = batch.texts ? texts : undefined
  const join = labelJoin({ queries, docs, texts: compared, missing })
  const data = {
    queries: vectorSource(plan.queries, queries),
    docs: vectorSource(plan.docs, docs),
    settings,
  }
  const key = await origin.key()
  const start = performance.now()
  const summary = await writeLabels(
    { out, layout, key, from, to, made },
    (append, before) => {
      const labelled = {
        ...{ rankings: streamRankings(plan.run), qrels, level, queries, docs, missing },
        ...{ texts: compared, contextSize: settings.contextSize, from: before.position, to },
      }
      return labelAll(
        {
          plan: labelled,
          join,
          run: (tasks) =>
            runTasks('label', data, tasks, workers ?? workersFor(to - before.position)),
          format: (task, labels) =>
            formatLabelsOrSkip(entryOf(docs, task, labels), layout, texts, join),
        },
        append,
        before,
      )
    },
    hooks,
  )
  const seconds = (performance.now() - start) / 1000
  remarkMissing(join.report, hooks)
  return { out, seconds, summary, missing: join.report.list() }
}
