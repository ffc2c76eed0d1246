import { KithError, type LabelSettings, resolveLabelSettings } from '@kith/core'
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
  const layout = layoutOf(inputs, settings)
  const batch = checkLabels({ settings, layout, level, missing, texts })
  const given = inputs.queryText !== undefined && (stored || inputs.corpus !== undefined)
  if (given || !(texts || needsTexts(layout.format))) return batch
  const what = texts ? 'labels by texts' : `labels of the format ${layout.format}`
  const files = stored ? 'the queries (queryText)' : 'queries and documents (queryText, corpus)'
  throw new KithError('BAD_SETTING', `${what} take the texts of ${files}`)
}

function layoutOf(
  { out = '', format = formatOf(out), values, negatives }: Partial<LabelInputs>,
  { target, maxLabelled, contextSize }: LabelSettings,
): LabelLayout {
  if (format === 'sentence-transformers' && target === 'one-hot') {
    throw new KithError(
      'BAD_SETTING',
      'the target one-hot labels the positive documents only: the format sentence-transformers needs others',
    )
  }
  const usual = format === 'sentence-transformers' ? 'logit' : 'probability'
  const longest = target === 'uniform' ? contextSize : Math.min(maxLabelled, contextSize)
  return {
    format,
    values: values ?? usual,
    negatives: negatives ?? Math.max(1, longest - 1),
  }
}

/** The format of a file by its ending. */
function formatOf(out: string): LabelFormat {
  if (/\.parquet$/i.test(out)) return 'parquet'
  return /\.tsv(\.gz)?$/i.test(out) ? 'tsv' : 'jsonl'
}
