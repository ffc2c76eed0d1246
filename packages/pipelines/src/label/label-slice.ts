import { type SharedQrels, type SharedRowIds, sharedQrels, sharedRowIds } from '@kith/ir/internal'
import type { LabelWork } from '../batches/batch-label.ts'
import type { ContextSources } from '../join/context-vectors.ts'
import { Join } from '../join/join.ts'
import { ListedDocuments } from '../join/listed-documents.ts'
import type { MissingIds } from '../join/missing.ts'
import { OpenTexts, type SharedOpenTexts } from '../join/open-texts.ts'
import type { Job } from '../tasks/job.ts'
import { rankingsOf, type SliceTask } from '../tasks/open-run.ts'
import { openLabelJob } from './label-job.ts'
import { labelTask } from './label-tasks.ts'
import { noLabels, type QueryLabels, queryLabels } from './query-labels.ts'

/** Everything that labeling a run's slices takes, in a form that can be handed to a worker thread. */
export interface LabelSliceInputs extends ContextSources {
  /** The ids of their rows. */
  ids: { queries: SharedRowIds; docs: SharedRowIds }
  qrels: SharedQrels
  /** The texts that are compared or written, where some are. */
  texts: SharedOpenTexts | undefined
  work: LabelWork
}

/** A slice's queries with labels, in their order. */
export interface LabeledSlice {
  results: QueryLabels[]
  missing: MissingIds[]
}

/** A slice, and the first and the end of its queries that are wanted. */
export interface LabelSliceTask {
  slice: SliceTask
  from: number
  to: number
}

/** Labels slice after slice: reads its rankings, joins them, makes their labels, and formats these. */
export async function openLabelSliceJob(
  inputs: LabelSliceInputs,
): Promise<Job<LabelSliceTask, LabeledSlice>> {
  const { settings, layout, level, missing, texts: compares } = inputs.work
  const job = await openLabelJob({ ...inputs, settings })
  const queries = sharedRowIds(inputs.ids.queries)
  const docs = sharedRowIds(inputs.ids.docs)
  const texts = inputs.texts && OpenTexts.over(inputs.texts, settings.tokenizer)
  const compared = compares ? texts : undefined
  const { contextSize } = settings
  const qrels = sharedQrels(inputs.qrels)
  const rules = { qrels, level, queries, docs, texts: compared, contextSize }
  return {
    run({ slice, from, to }) {
      const { queries: names, starts, order, documents } = rankingsOf(slice)
      const listed = new ListedDocuments(docs, documents)
      const present = compared && {
        hasQuery: (id: string) => compared.hasQuery(id),
        hasDocument: (id: number | string) => compared.hasDocument(listed.nameOf(id)),
      }
      const join = new Join({ queries, docs: listed, texts: present }, missing)
      const results = names.slice(from, to).map((query, i): QueryLabels => {
        const ids = order.subarray(starts[from + i]!, starts[from + i + 1]!)
        const task = labelTask(rules, join, { query, ids }, 0)
        join.check(`query ${query}: `)
        if (typeof task === 'string') return noLabels(task)
        return queryLabels(task, job.run(task), { docs, layout, texts, join })
      })
      return { results, missing: join.report.all() }
    },
    close: () => job.close(),
  }
}
