import { availableParallelism } from 'node:os'
import { type AppendPart, countRankings, readQrels, writeResumably } from '@kith/ir'
import type { BatchPart } from '@kith/pipelines/internal'
import {
  addSummaries,
  BatchPool,
  BatchSource,
  checkStore,
  decodeLabels,
  emptySummary,
  fingerprint,
  finishLabels,
  isSummary,
  type LabelLayout,
  type LabelResult,
  type LabelStudy,
  type LabelSummary,
  needsTexts,
  PART,
  type Sidecar,
  type StoreAddress,
  shareOf,
  storeName,
  submitStudy,
  summaryLines,
  writeSidecarOf,
} from '@kith/pipelines/internal'
import type { Values } from '../options/command.ts'
import { readShard } from '../options/shard.ts'
import { readEmbeddingOptions } from '../options/shared-options.ts'
import { readSubmit } from '../options/store-options.ts'
import { UsageError } from '../options/usage-error.ts'
import { optionalText, optionalWhole, text } from '../options/values.ts'
import type { Output } from '../terminal/output.ts'
import { tellSubmitted } from '../terminal/tell-submitted.ts'
import { version } from '../version.ts'
import { labelInputs } from './label-inputs.ts'

/** Queries that go to a thread at a time. */
const BATCH = 64

/** Makes labels with documents of a store: here, or as a study that `kith work` does. */
export async function labelFromStore(
  values: Values,
  store: StoreAddress,
  study: LabelStudy,
  output: Output,
): Promise<void> {
  if (values['corpus'] !== undefined) {
    throw new UsageError('--corpus goes into the store with kith load; --query-text is enough here')
  }
  const queryText = optionalText(values, 'query-text')
  if ((study.words || needsTexts(study.layout.format)) && queryText === undefined) {
    throw new UsageError('labels with words or texts need --query-text')
  }
  const submit = readSubmit(values)
  const shard = readShard(values)
  if (submit !== undefined && shard.count > 1) {
    throw new UsageError('--submit divides the work itself: leave out --shard')
  }
  const [run, queries, qrelsFile] = ['run', 'queries', 'qrels'].map((name) => text(values, name))
  const files = [run!, queries!, qrelsFile!, queryText].filter((file) => file !== undefined)
  const { settings, layout, ...rest } = study
  const chosen = { ...settings, ...layout, ...rest, store: storeName(store) }
  const qrels = await readQrels(qrelsFile!)
  output.remark(`counting the queries of ${run} …`)
  const total = await countRankings(run!)
  const share = shareOf(shard, total)
  const inputs = await labelInputs(files, [queries!], shard, output)
  const made: Sidecar & { shard: typeof shard; queries: object } = {
    ...{ command: 'labels', version, settings: chosen, inputs },
    ...{ shard, queries: { ...share, total } },
  }
  const source = await BatchSource.open(
    { run: run!, queries: queries!, queryText },
    readEmbeddingOptions(values),
  )
  const rules = { missing: study.missing, truth: { qrels, level: study.level } }
  try {
    await checkStore(store, source.dimensions)
    const { address, collection } = store
    if (submit !== undefined) {
      const whole = { name: submit, kind: 'labels', settings: { collection, ...study } }
      const origin = { ...made }
      const parts = source.parts({ ...rules, submitted: true })
      tellSubmitted(
        output,
        await submitStudy(address, { ...whole, origin }, parts, {
          name: submit,
          jobSize: optionalWhole(values, 'job-size'),
        }),
      )
      return
    }
    const out = text(values, 'out')
    const workers = optionalWhole(values, 'workers') ?? availableParallelism()
    const pool = new BatchPool(address, workers)
    const start = performance.now()
    const progress = output.progress('labelling', share.to - share.from)
    try {
      const summary = await writeLabelFile(out, layout, {
        key: await fingerprint({ ...chosen, ...share }, files),
        from: share.from,
        results: (from) => {
          const batches = source.batches({ ...rules, from, to: share.to }, BATCH)
          return labelResults(pool.runAll({ kind: 'labels', settings: study, collection }, batches))
        },
        to: share.to,
        onDone: (position) => progress.update(position - share.from),
        made,
      })
      const seconds = (performance.now() - start) / 1000
      output.result({ out, seconds, ...summary }, [`${out}:`, ...summaryLines(summary)].join('\n'))
    } finally {
      progress.end()
      await pool.close()
    }
  } finally {
    source.close()
  }
}

/** What a file of labels is made of. */
export interface LabelFileWork {
  /** Equal for equal contents. */
  key: string
  /** The first and the end of the places in the run. */
  from: number
  to: number
  /** The results from a place on, in order. */
  results(from: number): AsyncIterable<LabelResult>
  onDone(position: number): void
  /** What its sidecar says, besides the summary. */
  made: Sidecar
}

/** Writes labels as the command over files does: the same parts, so that packed files are equal too. */
export async function writeLabelFile(
  out: string,
  layout: LabelLayout,
  { key, from, to, results, onDone, made }: LabelFileWork,
): Promise<LabelSummary> {
  let summary: LabelSummary = { ...emptySummary, position: from }
  const write = async (
    append: AppendPart<LabelSummary>,
    before: LabelSummary | undefined,
  ): Promise<void> => {
    if (before) summary = before
    let part = ''
    let size = 0
    for await (const result of results(summary.position)) {
      summary = addSummaries([summary, result.summary])
      part += result.part
      if (!result.answered || ++size < PART) continue
      await append(part, summary)
      onDone(summary.position)
      part = ''
      size = 0
    }
    summary = { ...summary, position: to }
    await append(part, summary)
  }
  const finish = async (partial: string): Promise<void> => {
    await finishLabels(partial, out, layout, summary)
    const whole: Sidecar & { summary: LabelSummary } = { ...made, summary }
    await writeSidecarOf(out, whole)
  }
  await writeResumably(out, { key, isState: isSummary, write, finish })
  return summary
}

async function* labelResults(
  batches: AsyncIterable<{ results: readonly BatchPart[] }>,
): AsyncGenerator<LabelResult> {
  for await (const { results } of batches) {
    for (const { query, body } of results) yield decodeLabels(query, body)
  }
}
