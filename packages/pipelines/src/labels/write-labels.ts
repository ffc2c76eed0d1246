import { type AppendPart, putInPlace, version, writeResumably } from '@kith/base'
import { KithError } from '@kith/core'
import { type NoRow, type Qrels, readLabels, readQrels } from '@kith/ir'
import { countRankings, writeLabelsParquet } from '@kith/ir/internal'
import {
  digestedInputs,
  fingerprint,
  inputsOf,
  type Sidecar,
  writeSidecarOf,
} from '../files/sidecar.ts'
import { type Hooks, stageOf } from '../job/hooks.ts'
import type { LabelLayout } from './label-format.ts'
import {
  addSummary,
  emptySummary,
  isSummary,
  type LabelSummary,
  type QueryLabels,
} from './query-labels.ts'
import { type Shard, shareOf } from './shares.ts'

/** Number of queries to write at a time: the most that an interruption can lose. */
export const PART = 512

/** A file of labels. */
interface LabelFile {
  out: string
  layout: LabelLayout
  /** An identifier that is equal for equal contents. */
  key: string
  /** The range of positions in the run. */
  from: number
  to: number
  /** The contents of the sidecar, without the summary. */
  made: Sidecar
}

/**
 * Writes labels part by part, so that an interruption loses little work.
 *
 * @param write Appends the parts that follow the parts in a summary; returns the summary of all
 * parts.
 */
export async function writeLabels(
  { out, layout, key, from, to, made }: LabelFile,
  write: (append: AppendPart<LabelSummary>, before: LabelSummary) => Promise<LabelSummary>,
  hooks: Hooks,
): Promise<LabelSummary> {
  let summary: LabelSummary = { ...emptySummary, position: from }
  await writeResumably<LabelSummary>(out, {
    key,
    isState: isSummary,
    async write(append, before) {
      if (before) {
        hooks.onRemark?.(`resuming: ${before.position - from} of ${to - from} queries are done`)
        summary = before
      }
      const onDone = stageOf(hooks, 'labeling', to - from, summary.position - from)
      const appendAndTell: typeof append = async (part, state) => {
        await append(part, state)
        onDone(state.position - from)
      }
      summary = await write(appendAndTell, summary)
    },
    async finish(partial) {
      await finishLabels(partial, out, layout, summary)
      const whole: Sidecar & { summary: LabelSummary } = { ...made, summary }
      await writeSidecarOf(out, whole)
    },
  })
  return summary
}

/**
 * Writes labels that come query by query, in the same parts as labels of files, so that compressed
 * files are equal, too.
 *
 * @param results Returns the results from a position in the run on, in order.
 */
export function writeLabelResults(
  file: LabelFile,
  results: (from: number) => AsyncIterable<readonly QueryLabels[]>,
  hooks: Hooks,
): Promise<LabelSummary> {
  return writeLabels(
    file,
    async (append, before) => {
      const summary = structuredClone(before)
      let part = ''
      let size = 0
      for await (const list of results(before.position)) {
        for (const result of list) {
          addSummary(summary, result.summary)
          part += result.part
          if (!result.answered || ++size < PART) continue
          await append(part, summary)
          part = ''
          size = 0
        }
      }
      summary.position = file.to
      await append(part, summary)
      return summary
    },
    hooks,
  )
}

/** Converts the complete partial file to the file of labels. */
async function finishLabels(
  partial: string,
  out: string,
  layout: LabelLayout,
  summary: LabelSummary,
): Promise<void> {
  const tooFew = summary.leftOut['too few negatives' satisfies NoRow] ?? 0
  if (summary.queries === 0 && tooFew > 0) {
    throw new KithError(
      'BAD_INPUT',
      `${layout.format} rows need ${layout.negatives} negatives, but none of ${tooFew} queries has that many candidates that are not relevant and have little evidence; lower negatives, or raise contextSize and use a longer run`,
    )
  }
  if (layout.format === 'parquet') await writeLabelsParquet(out, readLabels(partial))
  else await putInPlace(partial, out)
}

/** The files and settings for making labels. */
interface LabelFiles {
  /** Number of queries in the run. */
  total: number
  /** The judgments; undefined if labels need none. */
  qrels?: string | undefined
  /** All files, in the order of the sidecar. */
  files: readonly string[]
  /** The inputs that contain embeddings. */
  embeddings: readonly string[]
  /** The settings for the sidecar. */
  batch: Readonly<{ settings: object; layout: LabelLayout }>
  shard: Shard
  /** The store's name, if the documents are in a store. */
  store?: string | undefined
}

/** The judgments of a file of labels, and its range of queries. */
export interface LabelOrigin {
  qrels: Qrels
  /** The range of labeled positions in the run. */
  from: number
  to: number
  /** The contents of the sidecar, without the summary. */
  made: Sidecar & { shard: Shard; queries: { from: number; to: number; total: number } }
  /** Returns an identifier that is equal for equal contents, for resuming. */
  key(): Promise<string>
}

/** Counts the queries of a run, which finds any error in it before long work begins. */
export function countQueries(run: string, { onRemark }: Hooks): Promise<number> {
  onRemark?.(`counting the queries of ${run} …`)
  return countRankings(run)
}

/** Reads the judgments, and describes the queries and the inputs of labels. */
export async function labelOrigin(
  { total, qrels: qrelsFile, files, embeddings, batch, shard, store }: LabelFiles,
  hooks: Hooks,
): Promise<LabelOrigin> {
  const { settings, layout, ...rest } = batch
  const chosen = { ...settings, ...layout, ...rest, ...(store === undefined ? {} : { store }) }
  const qrels: Qrels = qrelsFile === undefined ? new Map() : await readQrels(qrelsFile)
  const share = shareOf(shard, total)
  if (shard.count > 1) hooks.onRemark?.('computing digests of the inputs …')
  // Only shards need digests: mergeLabels compares the contents of their inputs.
  const inputs = shard.count > 1 ? await digestedInputs(files, embeddings) : await inputsOf(files)
  return {
    qrels,
    ...share,
    made: {
      ...{ command: 'labels', version, settings: chosen, inputs },
      ...{ shard, queries: { ...share, total } },
    },
    key: () => fingerprint({ ...chosen, ...share }, files),
  }
}
