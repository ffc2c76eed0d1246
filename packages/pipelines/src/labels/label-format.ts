import type { LabeledQuery, LabelValues } from '@kith/ir'
import {
  formatHardNegatives,
  formatLabelsJson,
  formatLabelsTsv,
  formatListwise,
  formatSentenceTransformers,
  formatTevatron,
  hardRow,
  labelRow,
} from '@kith/ir/internal'
import type { LabelFormat } from '../job/job-defaults.ts'
import type { Join } from '../join/join.ts'
import type { OpenTexts } from '../join/open-texts.ts'

/** The settings that determine the form of labels in a file. */
export interface LabelLayout {
  format: LabelFormat
  values: LabelValues
  /** Number of negatives in a training row. */
  negatives: number
}

/** Returns whether a format holds training rows, with texts instead of ids and with negatives. */
export function hasRows(format: LabelFormat): format is keyof typeof rowFormats {
  return format in rowFormats
}

/** Formats a query's labels for the file. */
function formatLabels(entry: LabeledQuery, format: LabelFormat): string {
  // Parquet is made from JSON lines at the end, since a partial Parquet file cannot be resumed.
  return format === 'tsv' ? formatLabelsTsv(entry) : formatLabelsJson(entry)
}

const rowFormats = {
  'sentence-transformers': formatSentenceTransformers,
  'hard-negatives': formatHardNegatives,
  listwise: formatListwise,
  tevatron: formatTevatron,
}

/**
 * Formats a query's part of the file, or returns why the query is left out: its labels make no
 * training row, or a text is missing and may be skipped.
 *
 * @param candidates The candidates for negatives of training rows: candidates with little evidence
 * by descending evidence, or for hard negatives documents without a label in the order of the run.
 */
export function formatLabelsOrSkip(
  entry: LabeledQuery,
  candidates: readonly string[],
  { format, values, negatives }: LabelLayout,
  texts: OpenTexts | undefined,
  join: Pick<Join, 'report' | 'check'>,
): string | { leftOut: string } {
  if (!hasRows(format)) return formatLabels(entry, format)
  const rowFrom = format === 'hard-negatives' ? hardRow : labelRow
  const row = rowFrom(entry, candidates, negatives)
  if (typeof row === 'string') return { leftOut: row }
  const { query, docs } = row
  const without = docs.filter((id) => !texts!.hasDocument(id))
  const noText = !texts!.hasQuery(query)
  if (!noText && without.length === 0) return rowFormats[format](row, texts!, values)
  if (noText) join.report.add('queries of the run have no text', query)
  for (const id of without) join.report.add('labeled documents have no text', id)
  join.check(`query ${query}: `)
  return { leftOut: noText ? 'the query has no text' : 'a document has no text' }
}
