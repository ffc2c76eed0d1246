import { KithError } from '@kith/core'
import type { TextEntry } from '../texts/texts.ts'
import { digits, type LabelRow } from './labels.ts'

/** The sources of the texts of labeled queries and documents. */
export interface LabelTexts {
  query(id: string): TextEntry | undefined
  document(id: string): TextEntry | undefined
}

/** Whether labels are written as probabilities, or as logits whose softmax equals them. */
export type LabelValues = 'probability' | 'logit'

/**
 * Formats a row for sentence-transformers' DistillKLDivLoss: `query`, `positive` (the ground truth
 * with the highest label), `negative_1` … (all documents outside the ground truth) and `label`, one
 * number per document in their order.
 */
export function formatSentenceTransformers(
  row: LabelRow,
  texts: LabelTexts,
  values: LabelValues,
): string {
  const order = tupleOf(row)
  const labels = labelsOf(row, values)
  const label = order.map((i) => labels[i]!)
  return `${JSON.stringify({ ...tupleColumns(row, order, texts), label })}\n`
}

/**
 * Formats a row for sentence-transformers' MultipleNegativesRankingLoss: `query`, `positive` and
 * `negative_1` …, the columns of its `mine_hard_negatives`.
 */
export function formatHardNegatives(row: LabelRow, texts: LabelTexts): string {
  return `${JSON.stringify(tupleColumns(row, tupleOf(row), texts))}\n`
}

/**
 * Returns the indices of the ground truth with the highest label, and of all documents outside the
 * ground truth.
 */
function tupleOf({ query, docs, groundTruth }: LabelRow): number[] {
  const known = new Set(groundTruth)
  const places = [...docs.keys()]
  const positive = places.find((i) => known.has(docs[i]!))
  if (positive === undefined) {
    throw new KithError(
      'BAD_INPUT',
      `query ${query} has no labeled ground truth; leave the query out`,
    )
  }
  return [positive, ...places.filter((i) => !known.has(docs[i]!))]
}

function tupleColumns(
  { query, docs }: LabelRow,
  order: readonly number[],
  texts: LabelTexts,
): Record<string, string> {
  const columns: Record<string, string> = { query: textOf(texts.query(query), query) }
  order.forEach((i, place) => {
    columns[place === 0 ? 'positive' : `negative_${place}`] = documentText(texts, docs[i]!)
  })
  return columns
}

/**
 * Formats a row for sentence-transformers' ListNetLoss and LambdaLoss: `query`, `docs` and
 * `labels`.
 */
export function formatListwise(row: LabelRow, texts: LabelTexts, values: LabelValues): string {
  return `${JSON.stringify({
    query: textOf(texts.query(row.query), row.query),
    docs: row.docs.map((id) => documentText(texts, id)),
    labels: labelsOf(row, values),
  })}\n`
}

/**
 * Formats a row for Tevatron: a query with its positive passages (the ground truth) and its
 * negative passages, each with its label.
 */
export function formatTevatron(row: LabelRow, texts: LabelTexts, values: LabelValues): string {
  const known = new Set(row.groundTruth)
  const labels = labelsOf(row, values)
  const passages = row.docs.map((docid, i) => {
    const { title = '', text } = found(texts.document(docid), 'document', docid)
    return { docid, title, text, score: labels[i]! }
  })
  return `${JSON.stringify({
    query_id: row.query,
    query: textOf(texts.query(row.query), row.query),
    positive_passages: passages.filter(({ docid }) => known.has(docid)),
    negative_passages: passages.filter(({ docid }) => !known.has(docid)),
  })}\n`
}

/** The value for a label that underflowed to 0: its logit is low enough, and JSON has no −∞. */
const SMALLEST = 1e-30

function labelsOf({ labels }: LabelRow, values: LabelValues): number[] {
  if (values === 'probability') return digits(labels)
  return digits(Array.from(labels, (label) => Math.log(Math.max(label, SMALLEST))))
}

function documentText(texts: LabelTexts, id: string): string {
  const { title, text } = found(texts.document(id), 'document', id)
  return title ? `${title} ${text}` : text
}

function textOf(entry: TextEntry | undefined, id: string): string {
  return found(entry, 'query', id).text
}

function found(entry: TextEntry | undefined, kind: string, id: string): TextEntry {
  if (entry) return entry
  throw new KithError('BAD_INPUT', `${kind} ${id} has no text`)
}
