import { KithError } from '@kith/core'
import { readLabels, writeLabelsParquet } from '@kith/ir'
import { putInPlace } from '@kith/ir/internal'
import type { LabelLayout } from './label-format.ts'
import type { LabelSummary } from './label-summary.ts'

/** Turns the complete partial file into the file of labels. */
export async function finishLabels(
  partial: string,
  out: string,
  layout: LabelLayout,
  summary: LabelSummary,
): Promise<void> {
  if (summary.queries === 0 && summary.unfit > 0) {
    throw new KithError(
      'BAD_INPUT',
      `no query has ${layout.negatives} documents besides a positive one: lower negatives, or raise maxLabelled`,
    )
  }
  if (layout.format === 'parquet') await writeLabelsParquet(out, readLabels(partial))
  else await putInPlace(partial, out)
}
