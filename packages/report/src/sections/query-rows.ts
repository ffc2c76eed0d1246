import { KithError } from '@kith/core'
import type { Evaluation, LabelTexts, Qrels, Run } from '@kith/ir'
import { shortened } from '../html.ts'

/** The values and rankings of every query before and after, as plain data for the page. */
export interface QueryRows {
  /** The measure of `before` and `after` in the rows. */
  measure: string
  /** The lowest grade of a relevant document. */
  level: number
  rows: QueryRow[]
  /** The documents of all rankings, each listed once. */
  documents: DocumentText[]
}

/** A document as the page shows it; its text may be truncated. */
export interface DocumentText {
  id: string
  title?: string
  text?: string
}

/** A query. */
export interface QueryRow {
  id: string
  text?: string
  before: number
  after: number
  /** How many documents are judged relevant, retrieved or not. */
  relevant: number
  /** The top documents before and after. */
  rankings: [RankedDocument[], RankedDocument[]]
}

/** A document at its rank. */
export interface RankedDocument {
  /** The document's place in `documents`. */
  document: number
  /** The document's judgment, if any. */
  grade?: number
  /** The document's rank in the other ranking, from 1; undefined if the document is not there. */
  other?: number
}

/** Options for the rows. */
export interface QueryRowsOptions {
  /** The lowest grade of a relevant document. Default: 1. */
  level?: number | undefined
  /** How many documents of each ranking are kept. */
  top?: number | undefined
}

/** Maximum total length of the documents' texts in the page, in characters. */
const TEXT_BUDGET = 8_000_000
const LONGEST_QUERY = 2_000

/**
 * Returns the values and rankings of two runs for each query in both evaluations, in the order of
 * the first.
 */
export function queryRows(
  evaluations: readonly [Evaluation, Evaluation],
  runs: readonly [Run, Run],
  qrels: Qrels,
  texts: LabelTexts | undefined,
  measure: string,
  { level = 1, top = 10 }: QueryRowsOptions = {},
): QueryRows {
  const [before, after] = evaluations.map((evaluation) => valuesOf(evaluation, measure))
  const places = new Map<string, number>()
  const placeOf = (id: string): number => {
    const place = places.get(id) ?? places.size
    places.set(id, place)
    return place
  }
  const rows: QueryRow[] = []
  for (const [id, value] of before!) {
    const changed = after!.get(id)
    if (changed === undefined) continue
    const judged = qrels.get(id) ?? new Map<string, number>()
    const [first, second] = runs.map((run) => run.get(id)?.ids ?? [])
    const text = texts?.query(id)?.text
    rows.push({
      id,
      ...(text === undefined ? {} : { text: shortened(text, LONGEST_QUERY) }),
      before: value,
      after: changed,
      relevant: [...judged.values()].filter((grade) => grade >= level).length,
      rankings: [
        ranked(first!, second!, judged, top, placeOf),
        ranked(second!, first!, judged, top, placeOf),
      ],
    })
  }
  return { measure, level, rows, documents: documentTexts([...places.keys()], texts) }
}

function valuesOf({ queries, perQuery, measures }: Evaluation, measure: string) {
  const values = perQuery[measure]
  if (values) return new Map(queries.map((query, i) => [query, values[i]!]))
  const known = measures.join(', ')
  throw new KithError('BAD_INPUT', `measure ${measure} was not evaluated; evaluated: ${known}`)
}

function ranked(
  ids: readonly string[],
  others: readonly string[],
  judged: ReadonlyMap<string, number>,
  top: number,
  placeOf: (id: string) => number,
): RankedDocument[] {
  const otherRanks = new Map(others.map((id, i) => [id, i + 1]))
  return ids.slice(0, top).map((id) => {
    const grade = judged.get(id)
    const other = otherRanks.get(id)
    return {
      document: placeOf(id),
      ...(grade === undefined ? {} : { grade }),
      ...(other === undefined ? {} : { other }),
    }
  })
}

/**
 * Truncates documents' texts: the more documents there are, the shorter, so that the page stays
 * small.
 */
function documentTexts(ids: readonly string[], texts: LabelTexts | undefined): DocumentText[] {
  const longest = Math.max(60, Math.min(300, Math.floor(TEXT_BUDGET / ids.length)))
  return ids.map((id) => {
    const entry = texts?.document(id)
    if (!entry) return { id }
    const { title, text } = entry
    return {
      id,
      ...(title ? { title: shortened(title, longest) } : {}),
      text: shortened(text, longest),
    }
  })
}
