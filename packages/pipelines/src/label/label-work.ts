import { KithError, type LabelSettings, resolveLabelSettings, type Settings } from '@kith/core'
import type { LabelWork } from '../batches/batch-label.ts'
import { checkLabels } from '../batches/check-batch.ts'
import { jobDefaults } from '../job-defaults.ts'
import { type LabelFormat, type LabelLayout, needsTexts } from './label-format.ts'
import type { LabelInputs } from './label-run.ts'

/**
 * The work of a labelling, complete: every default filled in, every value checked.
 *
 * @param stored Whether the documents are in a store, which has their texts too.
 */
export function labelWork(
  inputs: Omit<LabelInputs, 'out'> & { out?: string },
  stored: boolean,
): LabelWork {
  const settings = resolveLabelSettings(inputs.settings)
  const { level = jobDefaults.level, missing = jobDefaults.missing, texts = false } = inputs
  const layout = layoutOf(inputs, longestOf(settings))
  const batch = checkLabels({ settings, layout, level, missing, texts })
  const given = inputs.queryText !== undefined && (stored || inputs.corpus !== undefined)
  if (given || !(texts || needsTexts(layout.format))) return batch
  const what = texts ? 'labels by texts' : `labels of the format ${layout.format}`
  const files = stored ? 'the queries (queryText)' : 'queries and documents (queryText, corpus)'
  throw new KithError('BAD_SETTING', `${what} take the texts of ${files}`)
}

/** The work with the metric of its run. */
export function withMetric(batch: LabelWork, metric: Settings['metric']): LabelWork {
  return { ...batch, settings: { ...batch.settings, metric } }
}

/** The documents that a query's labels have at most; undefined where only the ground truth has one. */
function longestOf({ target, maxLabelled, contextSize }: LabelSettings): number | undefined {
  if (target === 'one-hot') return undefined
  return target === 'uniform' ? contextSize : Math.min(maxLabelled, contextSize)
}

/**
 * How labels are written, with the defaults filled in.
 *
 * @param longest The documents that a query's labels have at most; undefined where only the ground
 * truth has one.
 */
export function layoutOf(
  { out = '', format = formatOf(out), values, negatives }: Partial<LabelInputs>,
  longest: number | undefined,
): LabelLayout {
  if (format === 'sentence-transformers' && longest === undefined) {
    throw new KithError(
      'BAD_SETTING',
      'the target one-hot labels the positive documents only: the format sentence-transformers needs others',
    )
  }
  const usual = format === 'sentence-transformers' ? 'logit' : 'probability'
  return {
    format,
    values: values ?? usual,
    negatives: negatives ?? Math.max(1, (longest ?? 1) - 1),
  }
}

/** The format of a file by its ending. */
function formatOf(out: string): LabelFormat {
  if (/\.parquet$/i.test(out)) return 'parquet'
  return /\.tsv(\.gz)?$/i.test(out) ? 'tsv' : 'jsonl'
}
