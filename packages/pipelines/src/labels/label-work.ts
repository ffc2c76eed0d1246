import { KithError, type LabelSettings, resolveLabelSettings, type Settings } from '@kith/core'
import { labelTable, refuseIdle } from '@kith/core/internal'
import { checkLabels } from '../batches/check-batch.ts'
import { jobDefaults, type LabelFormat } from '../job/job-defaults.ts'
import type { MissingPolicy } from '../join/missing.ts'
import { hasRows, type LabelLayout } from './label-format.ts'
import type { LabelInputs } from './label-run.ts'

/** The settings for labeling queries, on any machine. */
export interface LabelWork {
  settings: LabelSettings
  layout: LabelLayout
  level: number
  missing: MissingPolicy
  /** Whether the texts are compared. */
  texts: boolean
}

/**
 * Completes the settings of a labeling with all defaults, and checks every value.
 *
 * @param stored Whether the documents are in a store, which also has their texts.
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

/**
 * Returns the default number of negatives: twice the soft labels of other documents, at most half
 * the context.
 */
function usualNegatives({ labelDepth, contextSize }: LabelSettings): number {
  return Math.max(1, Math.min(2 * (labelDepth - 1), Math.floor(contextSize / 2)))
}

/**
 * Default number of hard negatives in a row: for this format, labelDepth only leaves documents out.
 */
const HARD_NEGATIVES = 4

/** Sets the metric of the run. */
export function withMetric(batch: LabelWork, metric: Settings['metric']): LabelWork {
  return { ...batch, settings: { ...batch.settings, metric } }
}

/**
 * Completes the layout of labels with defaults.
 *
 * @param usual The default number of negatives in a training row.
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

/** Returns the format of a file by its ending. */
function formatOf(out: string): LabelFormat {
  if (/\.parquet$/i.test(out)) return 'parquet'
  return /\.tsv(\.gz)?$/i.test(out) ? 'tsv' : 'jsonl'
}
