import { KithError, type LabelSettings, resolveLabelSettings, type Settings } from '@kith/core'
import { labelTable, refuseIdle } from '@kith/core/internal'
import { checkLabels } from '../batches/check-batch.ts'
import { jobDefaults, type LabelFormat } from '../job/job-defaults.ts'
import type { MissingPolicy } from '../join/missing.ts'
import { hasRows, type LabelLayout } from './label-format.ts'
import type { LabelInputs } from './label-run.ts'

/** The settings that queries are labeled with, on any machine. */
export interface LabelWork {
  settings: LabelSettings
  layout: LabelLayout
  level: number
  missing: MissingPolicy
  /** Whether the words are looked at. */
  texts: boolean
}

/**
 * The work of a labeling, complete: every default filled in, every value checked.
 *
 * @param stored Whether the documents are in a store, which has their texts too.
 */
export function labelWork(
  inputs: Omit<LabelInputs, 'out'> & { out?: string },
  stored: boolean,
): LabelWork {
  const settings = resolveLabelSettings(inputs.settings)
  const { level = jobDefaults.level, missing = jobDefaults.missing, texts = false } = inputs
  refuseIdle(inputs.settings, settings, { texts, job: 'labels' }, labelTable)
  const layout = layoutOf(inputs, usualNegatives(settings))
  const batch = checkLabels({ settings, layout, level, missing, texts })
  const given = inputs.queryText !== undefined && (stored || inputs.corpus !== undefined)
  if (given || !(texts || hasRows(layout.format))) return batch
  const what = texts ? 'texts: true' : `the format ${layout.format}`
  const files = stored ? 'queryText' : 'queryText and corpus'
  throw new KithError('BAD_SETTING', `${what} needs texts; pass ${files}`)
}

/** As many negatives with little evidence as soft labels, as far as a context has room for both. */
function usualNegatives({ labelDepth, contextSize }: LabelSettings): number {
  return Math.max(1, Math.min(2 * (labelDepth - 1), Math.floor(contextSize / 2)))
}

/** Hard negatives in a row, if no number is given: depth only leaves documents out there. */
const HARD_NEGATIVES = 4

/** The work with the metric of its run. */
export function withMetric(batch: LabelWork, metric: Settings['metric']): LabelWork {
  return { ...batch, settings: { ...batch.settings, metric } }
}

/**
 * How labels are written, with the defaults filled in.
 *
 * @param usual The number of negatives in a training row, if none is given.
 */
export function layoutOf(
  { out = '', format = formatOf(out), values, negatives }: Partial<LabelInputs>,
  usual: number,
): LabelLayout {
  const rowsOnly = { values, negatives }
  const [unused] = Object.entries(rowsOnly).find(([, value]) => value !== undefined) ?? []
  if (unused !== undefined && !hasRows(format)) {
    throw new KithError(
      'BAD_SETTING',
      `${unused} has no effect with the format ${format}; leave out ${unused}, or use sentence-transformers, hard-negatives, listwise or tevatron`,
    )
  }
  if (values !== undefined && format === 'hard-negatives') {
    const problem = `values has no effect with the format ${format}, which holds no labels; leave out values`
    throw new KithError('BAD_SETTING', problem)
  }
  const usualValues = format === 'sentence-transformers' ? 'logit' : 'probability'
  const count = format === 'hard-negatives' ? HARD_NEGATIVES : Math.max(1, usual)
  return { format, values: values ?? usualValues, negatives: negatives ?? count }
}

/** The format of a file by its ending. */
function formatOf(out: string): LabelFormat {
  if (/\.parquet$/i.test(out)) return 'parquet'
  return /\.tsv(\.gz)?$/i.test(out) ? 'tsv' : 'jsonl'
}
