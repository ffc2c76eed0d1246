import { putInPlace } from '@kith/base'
import { KithError } from '@kith/core'
import { type NoRow, readLabels } from '@kith/ir'
import { writeLabelsParquet } from '@kith/ir/internal'
import type { LabelLayout } from './label-format.ts'
import type { LabelSummary } from './label-summary.ts'

/** Turns the complete partial file into the file of labels. */
export async function finishLabels(
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
