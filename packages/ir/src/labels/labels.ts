import { InputFile, lineError, mapLines } from '@kith/base'
import { KithError } from '@kith/core'
import { parseJsonLine } from '../io/json-line.ts'

/** The training labels of one query. */
export interface LabeledQuery {
  query: string
  /** Documents with a label above 0, highest first. */
  docs: readonly string[]
  /** The probabilities of the documents, which sum to 1. */
  labels: ArrayLike<number>
  /** The evidence for each label. */
  evidence: ArrayLike<number>
  /** The documents judged relevant. */
  groundTruth: readonly string[]
}

/** Formats labels as a line of JSONL: `{"query", "docs", "labels", "evidence", "groundTruth"}`. */
export function formatLabelsJson({
  query,
  docs,
  labels,
  evidence,
  groundTruth,
}: LabeledQuery): string {
  const entry = { query, docs, labels: digits(labels), evidence: digits(evidence), groundTruth }
  return `${JSON.stringify(entry)}\n`
}

/** Formats labels as lines of `query Q0 document label`, separated by tabs. */
export function formatLabelsTsv({ query, docs, labels }: LabeledQuery): string {
  for (const id of [query, ...docs]) {
    if (id !== '' && !/[\t\r\n]/.test(id)) continue
    throw new KithError(
      'BAD_INPUT',
      `id ${JSON.stringify(id)} does not fit into TSV; ids must not be empty or contain tabs or line breaks`,
    )
  }
  const values = digits(labels)
  return docs.map((id, i) => `${query}\tQ0\t${id}\t${values[i]}\n`).join('')
}

/** Rounds numbers to seven digits, the precision of a float32. */
export function digits(values: ArrayLike<number>): number[] {
  return Array.from(values, (value) => Number(value.toPrecision(7)))
}

/**
 * Reads labels from JSONL, query by query.
 *
 * ```ts
 * for await (const { query, docs, labels } of readLabels('labels.jsonl')) console.log(query, docs[0], labels[0])
 * ```
 */
export async function* readLabels(file: string): AsyncGenerator<LabeledQuery> {
  const input = new InputFile(file)
  yield* mapLines(input, (text, line) => {
    if (text.trim() === '') return undefined
    const { query, docs, labels, evidence, groundTruth } = parseJsonLine(input.name, line, text)
    const wrong = (problem: string): Error => lineError(input.name, line, problem)
    if (typeof query !== 'string') throw wrong('query must be a string')
    for (const [name, list, type] of [
      ['docs', docs, 'string'],
      ['labels', labels, 'number'],
      ['evidence', evidence, 'number'],
      ['groundTruth', groundTruth, 'string'],
    ] as const) {
      if (Array.isArray(list) && list.every((value) => typeof value === type)) continue
      throw wrong(`${name} must be a list of ${type}s`)
    }
    const entry = { query, docs, labels, evidence, groundTruth } as LabeledQuery
    checkLabels(entry, wrong)
    return entry
  })
}

/** Checks that every document has a label and evidence, both finite; `wrong` creates the error. */
export function checkLabels(entry: LabeledQuery, wrong: (problem: string) => Error): void {
  for (const name of ['labels', 'evidence'] as const) {
    const [values, wanted] = [entry[name], entry.docs.length]
    if (values.length !== wanted)
      throw wrong(`expected ${wanted} ${name}, one per document, got ${values.length}`)
    const bad = Array.from(values).find((value) => !Number.isFinite(value))
    if (bad !== undefined) throw wrong(`${name} must be finite numbers, got ${bad}`)
  }
}

/** The documents of a training row, with their labels; the label of an unlabeled document is 0. */
export type LabelRow = Omit<LabeledQuery, 'evidence'>

/** The reason why a query's labels give no training row. */
export type NoRow = 'no positive document' | 'too few negatives'

/**
 * Builds a training row: the ground truth with a label, and a number of negatives, none of which is
 * ground truth. Up to half of the negatives are the other documents with the highest labels, so
 * that soft labels are learned; the rest have the least evidence.
 *
 * @param low Candidates with little evidence and outside the ground truth, by descending evidence.
 */
export function labelRow(
  { query, docs, labels, groundTruth }: LabeledQuery,
  low: readonly string[],
  negatives: number,
): LabelRow | NoRow {
  const [known, least] = [new Set(groundTruth), new Set(low)]
  if (!docs.some((id) => known.has(id))) return 'no positive document'
  const soft = docs
    .filter((id) => !known.has(id) && !least.has(id))
    .slice(0, Math.floor(negatives / 2))
  const wanted = negatives - soft.length
  if (low.length < wanted) return 'too few negatives'
  const kept = new Set(soft)
  const labelOf = new Map(docs.map((id, i) => [id, labels[i]!]))
  const row = [
    ...docs.filter((id) => known.has(id) || kept.has(id)),
    ...low.slice(low.length - wanted),
  ]
  return { query, docs: row, labels: row.map((id) => labelOf.get(id) ?? 0), groundTruth }
}

/**
 * Builds a training row of hard negatives: the ground truth with a label, and the nearest documents
 * without one.
 *
 * @param near Candidates without a label and outside the ground truth, most similar first.
 */
export function hardRow(
  { query, docs, labels, groundTruth }: LabeledQuery,
  near: readonly string[],
  negatives: number,
): LabelRow | NoRow {
  const known = new Set(groundTruth)
  const truths = [...docs.keys()].filter((i) => known.has(docs[i]!))
  if (truths.length === 0) return 'no positive document'
  if (near.length < negatives) return 'too few negatives'
  const row = [...truths.map((i) => docs[i]!), ...near.slice(0, negatives)]
  return { query, docs: row, labels: row.map((_, i) => labels[truths[i]!] ?? 0), groundTruth }
}

/*
 * Labels as Parquet, which most programs neither read nor write: its libraries are many files, and
 * are loaded when the first function is called.
 */
const load = () => import('../parquet/parquet-labels.ts')

/** Writes labels as Parquet with the columns of the JSONL: query, docs, labels, evidence, groundTruth. */
export async function writeLabelsParquet(
  file: string,
  entries: AsyncIterable<LabeledQuery>,
): Promise<void> {
  await (await load()).writeLabelsParquet(file, entries)
}

/** Reads labels from `writeLabelsParquet`, one row group at a time. */
export async function* readLabelsParquet(file: string): AsyncGenerator<LabeledQuery> {
  yield* (await load()).readLabelsParquet(file)
}
