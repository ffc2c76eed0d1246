import { type AppendPart, putInPlace, writeResumably } from '@kith/base'
import { KithError } from '@kith/core'
import { type NoRow, readLabels, writeLabelsParquet } from '@kith/ir'
import { type Sidecar, writeSidecarOf } from '../files/sidecar.ts'
import { type Hooks, stageOf } from '../job/hooks.ts'
import type { LabelLayout } from './label-format.ts'
import { addSummaries, emptySummary, isSummary, type LabelSummary } from './label-summary.ts'
import type { QueryLabels } from './query-labels.ts'

/** Queries that are written at a time: the most that a stop can lose. */
export const PART = 512

/** A file of labels. */
export interface LabelFile {
  out: string
  layout: LabelLayout
  /** A text that is equal for equal contents. */
  key: string
  /** The first and the end of the places in the run. */
  from: number
  to: number
  /** The contents of its sidecar, besides the summary. */
  made: Sidecar
}

/**
 * Writes labels part by part, so that a stop costs little.
 *
 * @param write Appends the parts behind those of a summary; returns the summary of all.
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
        hooks.onRemark?.(`continuing: ${before.position - from} of ${to - from} are done`)
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
 * Writes labels that come query by query, with the parts that those over files have, so that packed
 * files are equal too.
 *
 * @param results The results from a place in the run on, in order.
 */
export function writeLabelResults(
  file: LabelFile,
  results: (from: number) => AsyncIterable<QueryLabels>,
  hooks: Hooks,
): Promise<LabelSummary> {
  return writeLabels(
    file,
    async (append, before) => {
      let summary = before
      let part = ''
      let size = 0
      for await (const result of results(before.position)) {
        summary = addSummaries([summary, result.summary])
        part += result.part
        if (!result.answered || ++size < PART) continue
        await append(part, summary)
        part = ''
        size = 0
      }
      summary = { ...summary, position: file.to }
      await append(part, summary)
      return summary
    },
    hooks,
  )
}

/** Turns the complete partial file into the file of labels. */
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
      `${layout.format} rows take ${layout.negatives} negatives, and none of ${tooFew} queries has as many candidates that are not relevant and have little evidence: lower negatives, or raise contextSize and take a longer run`,
    )
  }
  if (layout.format === 'parquet') await writeLabelsParquet(out, readLabels(partial))
  else await putInPlace(partial, out)
}
