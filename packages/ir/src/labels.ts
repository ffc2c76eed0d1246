import { lineError } from './file-error.ts'
import { mapLines, parseJsonLine } from './lines.ts'

/** The training labels of one query. */
export interface LabelledQuery {
  query: string
  /** Documents with a label above 0, highest first. */
  docs: readonly string[]
  /** Their probabilities, which sum to 1. */
  labels: ArrayLike<number>
  /** The evidence behind each label. */
  evidence: ArrayLike<number>
  /** The documents judged relevant. */
  groundTruth: readonly string[]
}

/** Labels as a line of JSONL: `{"query", "docs", "labels", "evidence", "groundTruth"}`. */
export function formatLabelsJson({
  query,
  docs,
  labels,
  evidence,
  groundTruth,
}: LabelledQuery): string {
  const entry = { query, docs, labels: digits(labels), evidence: digits(evidence), groundTruth }
  return `${JSON.stringify(entry)}\n`
}

/** Labels as lines `query Q0 document label`, separated by tabs. */
export function formatLabelsTsv({ query, docs, labels }: LabelledQuery): string {
  const values = digits(labels)
  return docs.map((id, i) => `${query}\tQ0\t${id}\t${values[i]}\n`).join('')
}

/** As many digits as single precision has. */
export function digits(values: ArrayLike<number>): number[] {
  return Array.from(values, (value) => Number(value.toPrecision(7)))
}

/** Reads labels from JSONL, query by query. */
export async function* readLabels(file: string): AsyncGenerator<LabelledQuery> {
  yield* mapLines(file, (text, line) => {
    if (text.trim() === '') return undefined
    const { query, docs, labels, evidence, groundTruth } = parseJsonLine(file, line, text)
    if (typeof query !== 'string') throw lineError(file, line, 'expected a query that is a string')
    for (const [name, list, type] of [
      ['docs', docs, 'string'],
      ['labels', labels, 'number'],
      ['evidence', evidence, 'number'],
      ['groundTruth', groundTruth, 'string'],
    ] as const) {
      if (Array.isArray(list) && list.every((value) => typeof value === type)) continue
      throw lineError(file, line, `expected ${name} to be a list of ${type}s`)
    }
    const entry = { query, docs, labels, evidence, groundTruth } as LabelledQuery
    for (const name of ['labels', 'evidence'] as const) {
      if (entry[name].length === entry.docs.length) continue
      const [found, wanted] = [entry[name].length, entry.docs.length]
      throw lineError(file, line, `${found} ${name} for ${wanted} docs`)
    }
    return entry
  })
}
