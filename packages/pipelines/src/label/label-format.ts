import { KithError } from '@kith/core'
import {
  formatLabelsJson,
  formatLabelsTsv,
  formatListwise,
  formatSentenceTransformers,
  formatTevatron,
  type LabelledQuery,
  type LabelTexts,
  type LabelValues,
} from '@kith/ir'
import type { TextPair } from '../join/text-pair.ts'

export const labelFormats = [
  'jsonl',
  'parquet',
  'tsv',
  'sentence-transformers',
  'listwise',
  'tevatron',
] as const

/** How labels are written; `docs/labels.md` has the line that loads each one. */
export type LabelFormat = (typeof labelFormats)[number]

export const labelValues = ['probability', 'logit'] as const

/** Everything that decides how a query's labels look in the file. */
export interface LabelLayout {
  format: LabelFormat
  values: LabelValues
  /** How many documents besides the positive one a row for sentence-transformers has. */
  negatives: number
}

/** Whether a format holds texts instead of ids. */
export function needsTexts(format: LabelFormat): boolean {
  return format === 'sentence-transformers' || format === 'listwise' || format === 'tevatron'
}

/** What is written for a query; undefined where its labels do not fit the format. */
export function formatLabels(
  entry: LabelledQuery,
  { format, values, negatives }: LabelLayout,
  texts: LabelTexts | undefined,
): string | undefined {
  switch (format) {
    case 'tsv':
      return formatLabelsTsv(entry)
    case 'sentence-transformers':
      return formatSentenceTransformers(entry, texts!, negatives, values)
    case 'listwise':
      return formatListwise(entry, texts!, values)
    case 'tevatron':
      return formatTevatron(entry, texts!, values)
    default:
      // Parquet is made from this at the end, since a half-written one could not be continued.
      return formatLabelsJson(entry)
  }
}

/** The same where texts may be missing: an error, or why the query is left out. */
export function formatLabelsOrSkip(
  entry: LabelledQuery,
  layout: LabelLayout,
  texts: TextPair | undefined,
  missing: 'error' | 'skip',
): string | { leftOut: string } | undefined {
  const lacking = needsTexts(layout.format) ? texts?.lacking(entry) : undefined
  if (lacking === undefined) return formatLabels(entry, layout, texts)
  if (missing === 'skip') return { leftOut: lacking.reason }
  throw new KithError(
    'BAD_INPUT',
    `query ${entry.query}: ${lacking.what} has no text (--missing skip goes on without)`,
  )
}
