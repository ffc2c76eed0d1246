import { KithError } from '@kith/core'
import type { TextEntry } from '../texts/texts.ts'
import { digits, type LabelledQuery } from './labels.ts'

/** Where the texts of labelled queries and documents come from. */
export interface LabelTexts {
  query(id: string): TextEntry | undefined
  document(id: string): TextEntry | undefined
}

/** Whether labels are written as probabilities, or as logits whose softmax they are. */
export type LabelValues = 'probability' | 'logit'

/**
 * For sentence-transformers' DistillKLDivLoss: `query`, `positive`, `negative_1` … and `label`,
 * one number for each of the documents in their order. Undefined for fewer documents than that, or
 * without a positive one.
 */
export function formatSentenceTransformers(
  entry: LabelledQuery,
  texts: LabelTexts,
  negatives: number,
  values: LabelValues,
): string | undefined {
  const positive = entry.docs.findIndex((id) => entry.groundTruth.includes(id))
  const others = [...entry.docs.keys()].filter((i) => i !== positive)
  if (positive < 0 || others.length < negatives) return undefined
  // The ground-truth document with the highest label first, then the others.
  const order = [positive, ...others.slice(0, negatives)]
  const row: Record<string, unknown> = { query: textOf(texts.query(entry.query), entry.query) }
  order.forEach((i, place) => {
    row[place === 0 ? 'positive' : `negative_${place}`] = documentText(texts, entry.docs[i]!)
  })
  const labels = labelsOf(entry, values)
  row['label'] = order.map((i) => labels[i]!)
  return `${JSON.stringify(row)}\n`
}

/** For sentence-transformers' ListNetLoss and LambdaLoss: `query`, `docs` and `labels`. */
export function formatListwise(
  entry: LabelledQuery,
  texts: LabelTexts,
  values: LabelValues,
): string {
  return `${JSON.stringify({
    query: textOf(texts.query(entry.query), entry.query),
    docs: entry.docs.map((id) => documentText(texts, id)),
    labels: labelsOf(entry, values),
  })}\n`
}

/**
 * For Tevatron: a query with its positive passages (the ground truth) and the others, each with its
 * label. Undefined without a positive one.
 */
export function formatTevatron(
  entry: LabelledQuery,
  texts: LabelTexts,
  values: LabelValues,
): string | undefined {
  const known = new Set(entry.groundTruth)
  const labels = labelsOf(entry, values)
  if (!entry.docs.some((id) => known.has(id))) return undefined
  const passages = entry.docs.map((docid, i) => {
    const { title = '', text } = found(texts.document(docid), 'document', docid)
    return { docid, title, text, score: labels[i]! }
  })
  return `${JSON.stringify({
    query_id: entry.query,
    query: textOf(texts.query(entry.query), entry.query),
    positive_passages: passages.filter(({ docid }) => known.has(docid)),
    negative_passages: passages.filter(({ docid }) => !known.has(docid)),
  })}\n`
}

/** A label that underflowed to 0 is far enough down at this one, and −∞ is no number in JSON. */
const SMALLEST = 1e-30

function labelsOf({ labels }: LabelledQuery, values: LabelValues): number[] {
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
