import { readChunks, writeAtomic } from '@kith/base'
import { KithError } from '@kith/core'
import { readLabelsParquet, writeLabelsParquet } from '@kith/ir/internal'
import { writeSidecar } from '../files/sidecar.ts'
import { checkShares } from './check-shares.ts'
import { readShare } from './label-share.ts'
import { addSummaries, type LabelSummary } from './label-summary.ts'

/** Shares of labels, and where the whole goes. */
export interface MergeInputs {
  /** The files of all shares, in any order. */
  shares: readonly string[]
  out: string
}

/** The result of a merge of shares. */
export interface MergeResult {
  out: string
  shares: number
  summary: LabelSummary
}

/**
 * Joins the shares of `labelRun` in the order of their queries. Gaps, overlaps, shares of other
 * settings or inputs, and shares that were cut or changed since they were made are refused.
 */
export async function mergeLabels({ shares: named, out }: MergeInputs): Promise<MergeResult> {
  if (named.length === 0) throw new KithError('BAD_INPUT', 'there are no shares to join')
  const shares = await Promise.all(
    named.map(async (file) => ({ file, meta: await readShare(file) })),
  )
  shares.sort(
    ({ meta: { queries: a } }, { meta: { queries: b } }) => a.from - b.from || a.to - b.to,
  )
  await checkShares(shares)
  const { settings, inputs, queries } = shares[0]!.meta
  const files = shares.map(({ file }) => file)
  const summary = addSummaries(shares.map(({ meta }) => meta.summary))
  if (settings.format === 'parquet') await writeLabelsParquet(out, labelsOf(files))
  else {
    await writeAtomic(out, async (write) => {
      for (const file of files) for await (const chunk of readChunks(file)) await write(chunk)
    })
  }
  const more = { queries: { from: 0, to: queries.total, total: queries.total }, summary }
  await writeSidecar(out, 'labels merge', settings, files, { ...more, made: inputs })
  return { out, shares: files.length, summary }
}

async function* labelsOf(files: readonly string[]) {
  for (const file of files) yield* readLabelsParquet(file)
}
