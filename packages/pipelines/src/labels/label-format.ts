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

/** Everything that decides how a query's labels look in the file. */
export interface LabelLayout {
  format: LabelFormat
  values: LabelValues
  /** How many negatives a training row has. */
  negatives: number
}

/** Whether a format holds training rows, with texts instead of ids and with negatives. */
export function hasRows(format: LabelFormat): format is keyof typeof rowFormats {
  return format in rowFormats
}

/** A query's labels as the file holds them. */
function formatLabels(entry: LabeledQuery, format: LabelFormat): string {
  // Parquet is made from JSON lines at the end, since a half-written one could not be continued.
  return format === 'tsv' ? formatLabelsTsv(entry) : formatLabelsJson(entry)
}

const rowFormats = {
  'sentence-transformers': formatSentenceTransformers,
  'hard-negatives': formatHardNegatives,
  listwise: formatListwise,
  tevatron: formatTevatron,
}

/**
 * A query's part of the file, or why the query is left out: its labels make no training row, or
 * a text is missing that may be.
 *
 * @param candidates What training rows take negatives from: candidates with little evidence by descending
 *   evidence, or for hard negatives documents without a label in the order of the run.
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
