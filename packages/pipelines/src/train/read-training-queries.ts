import { FileError, readLines } from '@kith/base'
import {
  type Embeddings,
  type LabeledQuery,
  openEmbeddings,
  type Qrels,
  type Run,
  readLabels,
  readQrels,
  readTexts,
} from '@kith/ir'
import type { MissingPolicy } from '../join/missing.ts'
import { type QueriesMade, trainingQueries } from './training-queries.ts'

/** Files that queries of a training come from. */
export interface QueryFiles {
  /** Their texts, or embeddings where an adapter is trained. */
  queries: string
  /** Their candidates. */
  run: string
  /** Their judgments; without a teacher they are needed. */
  qrels?: string | undefined
  /** Their targets, by `labelRun` or `kith labels`; for validation there are none. */
  labels?: string | undefined
}

/** How the files of queries are read. */
export interface QueryReading {
  docs: Embeddings
  level: number
  /** Whether queries are embeddings instead of texts. */
  vectors: boolean
  missing: MissingPolicy
  /** The name of the queries in messages. */
  name: string
}

/** Reads the queries of a run that have ground truth, with all that training on them takes. */
export async function readTrainingQueries(
  files: QueryFiles,
  rankings: Run,
  { docs, vectors, ...reading }: QueryReading,
): Promise<QueriesMade & { qrels: Qrels | undefined }> {
  const qrels = files.qrels === undefined ? undefined : await readQrels(files.qrels)
  const embeddings = vectors ? await openEmbeddings(files.queries) : undefined
  try {
    const made = trainingQueries({
      ...reading,
      rankings,
      qrels,
      documents: docs,
      vectors: embeddings,
      texts: vectors
        ? undefined
        : await byId(readTexts(files.queries), ({ id, text }) => [id, text]),
      labels: files.labels === undefined ? undefined : await labelsOf(files.labels),
    })
    return { ...made, qrels }
  } finally {
    await embeddings?.close()
  }
}

async function labelsOf(file: string): Promise<Map<string, LabeledQuery>> {
  const labels = new Map<string, LabeledQuery>()
  for await (const entry of readLabels(file)) {
    if (labels.has(entry.query)) {
      const line = await secondLine(file, entry.query)
      throw new FileError(file, `line ${line}`, `query ${entry.query} has labels twice`)
    }
    labels.set(entry.query, entry)
  }
  return labels
}

/** The second line with the labels of a query. */
async function secondLine(file: string, query: string): Promise<number | undefined> {
  const isOf = (text: string) => text.trim() !== '' && JSON.parse(text).query === query
  const lines = []
  for await (const line of readLines(file, (text, at) => (isOf(text) ? at : undefined))) {
    if (lines.push(line) === 2) return line
  }
  return undefined
}

async function byId<T, V>(
  entries: AsyncIterable<T>,
  pair: (entry: T) => [string, V],
): Promise<Map<string, V>> {
  const map = new Map<string, V>()
  for await (const entry of entries) map.set(...pair(entry))
  return map
}
