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
import type { Join } from '../join/join.ts'
import type { OpenTexts } from '../join/open-texts.ts'

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

/** A query's text in the file; undefined where its labels do not fit the format. */
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
  texts: OpenTexts | undefined,
  join: Pick<Join, 'report' | 'check'>,
): string | { leftOut: string } | undefined {
  if (!texts || !needsTexts(layout.format)) return formatLabels(entry, layout, texts)
  const { query, docs } = entry
  const without = docs.filter((id) => !texts.hasDocument(id))
  const noText = !texts.hasQuery(query)
  if (!noText && without.length === 0) return formatLabels(entry, layout, texts)
  if (noText) join.report.add('queries of the run have no text', query)
  for (const id of without) join.report.add('labelled documents have no text', id)
  join.check(`query ${query}: `)
  return { leftOut: noText ? 'the query has no text' : 'a document has no text' }
}
