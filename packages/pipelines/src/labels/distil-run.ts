import type { AppendPart } from '@kith/base'
import { type DistilSettings, KithError, type PartialDistilSettings } from '@kith/core'
import { distilTarget, resolveDistilSettings, throwIfAborted } from '@kith/core/internal'
import type { LabeledQuery, RankedQuery } from '@kith/ir'
import { streamRankings } from '@kith/ir/internal'
import type { Hooks } from '../job/hooks.ts'
import { jobDefaults } from '../job/job-defaults.ts'
import { Join } from '../join/join.ts'
import { remarkMissing } from '../join/missing.ts'
import { checkTextPair, OpenTexts } from '../join/open-texts.ts'
import { formatLabelsOrSkip, hasRows } from './label-format.ts'
import type { LabelInputs, LabelResult } from './label-run.ts'
import { layoutOf } from './label-work.ts'
import { addLabels, type LabelSummary, lowerHalf } from './query-labels.ts'
import { checkShard } from './shares.ts'
import { countQueries, labelOrigin, PART, writeLabels } from './write-labels.ts'

/** The inputs for making labels from a teacher's ranking. */
export interface DistilInputs
  extends PartialDistilSettings,
    Pick<LabelInputs, 'out' | 'corpus' | 'queryText' | 'format' | 'values' | 'negatives'>,
    Pick<LabelInputs, 'missing' | 'shard'> {
  /** The teacher's run, for example from `rerankRun`: its scores become labels. */
  run: string
}

/**
 * Makes training labels from a better ranking, without judgments. If it is interrupted, the same
 * call resumes and writes the same file.
 *
 * ```ts
 * await rerankRun({ run: 'run.trec', queries: 'queries.npy', docs: 'docs.npy',
 *   corpus: 'corpus.jsonl', queryText: 'queries.jsonl', out: 'teacher.trec' })
 * await distilRun({ run: 'teacher.trec', out: 'labels.jsonl' })
 * ```
 */
export async function distilRun(inputs: DistilInputs, hooks: Hooks = {}): Promise<LabelResult> {
  const { run, out, missing = jobDefaults.missing } = inputs
  const settings = resolveDistilSettings({ depth: inputs.depth, sharpness: inputs.sharpness })
  const layout = layoutOf(inputs, settings.depth - 1)
  const pair = checkTextPair(inputs)
  if (!pair && hasRows(layout.format)) {
    const problem = `the format ${layout.format} needs texts; pass queryText and corpus`
    throw new KithError('BAD_SETTING', problem)
  }
  const texts = pair && (await OpenTexts.open(pair, 'english'))
  try {
    const shard = checkShard(inputs.shard ?? { index: 1, count: 1 })
    const batch = { settings: { target: 'distil', ...settings }, layout, missing }
    const files = [run, inputs.corpus, inputs.queryText].filter((file) => file !== undefined)
    const total = await countQueries(run, hooks)
    const origin = await labelOrigin({ total, files, embeddings: [], batch, shard }, hooks)
    const join = new Join({ docs: { rowOf: () => 0 } }, missing)
    const { from, to, made } = origin
    const key = await origin.key()
    const start = performance.now()
    const summary = await writeLabels(
      { out, layout, key, from, to, made },
      (append, before) => {
        const format = (entry: LabeledQuery) => {
          // The teacher's first document is the positive document.
          const taught = { ...entry, groundTruth: entry.docs.slice(0, 1) }
          if (!hasRows(layout.format)) return formatLabelsOrSkip(entry, [], layout, texts, join)
          return formatLabelsOrSkip(taught, lowerHalf(entry.docs.slice(1)), layout, texts, join)
        }
        return distilAll({ run, to, settings, format, signal: hooks.signal }, append, before)
      },
      hooks,
    )
    remarkMissing(join.report, hooks)
    const seconds = (performance.now() - start) / 1000
    return { out, seconds, summary, missing: join.report.list() }
  } finally {
    await texts?.close()
  }
}

/** The inputs for labeling the queries of a run. */
interface DistilWork {
  run: string
  /** The end of the range of positions in the run. */
  to: number
  settings: DistilSettings
  format(entry: LabeledQuery): ReturnType<typeof formatLabelsOrSkip>
  signal: AbortSignal | undefined
}

/**
 * Labels the queries from a position on and appends them part by part, each with the summary up to
 * that part.
 */
async function distilAll(
  { run, to, settings, format, signal }: DistilWork,
  append: AppendPart<LabelSummary>,
  before: LabelSummary,
): Promise<LabelSummary> {
  const summary = structuredClone(before)
  let position = 0
  let part = ''
  for await (const ranking of streamRankings(run)) {
    if (position++ < before.position) continue
    if (position > to) break
    throwIfAborted(signal)
    const entry = entryOf(ranking, settings)
    const written = format(entry)
    summary.position = position
    if (typeof written === 'string') {
      const kept = Uint32Array.from(entry.docs.keys())
      addLabels(summary, { kept, target: entry.labels }, 0)
      part += written
    } else summary.leftOut[written.leftOut] = (summary.leftOut[written.leftOut] ?? 0) + 1
    if (position % PART !== 0) continue
    await append(part, structuredClone(summary))
    part = ''
  }
  summary.position = to
  await append(part, structuredClone(summary))
  return summary
}

/** Returns the labels of a ranking's first documents. */
function entryOf(
  { query, ids, scores }: RankedQuery,
  settings: DistilSettings,
): LabeledQuery & { labels: Float64Array } {
  const labels = distilTarget(scores, settings)
  const docs = ids.slice(0, labels.length)
  return { query, docs, labels, evidence: Array.from(docs, (_, i) => scores[i]!), groundTruth: [] }
}
