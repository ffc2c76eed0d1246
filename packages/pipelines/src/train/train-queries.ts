import {
  type Embeddings,
  FileError,
  type LabelledQuery,
  openEmbeddings,
  readLabels,
  readQrels,
  readRun,
  readTexts,
} from '@kith/ir'
import type { QueriesMade } from '@kith/train'

/** Files that queries of a training come from. */
export interface QueryFiles {
  /** Texts, or embeddings where an adapter is trained. */
  queries: string
  run: string
  qrels: string
  labels?: string | undefined
}

/** How they are read. */
export interface QueryReading {
  docs: Embeddings
  level: number
  /** Whether queries are embeddings instead of texts. */
  vectors: boolean
}

/** Reads the queries of a run that have ground truth, with all that training on them takes. */
export async function readTrainingQueries(
  files: QueryFiles,
  { docs, level, vectors }: QueryReading,
): Promise<QueriesMade> {
  const { trainingQueries } = await import('@kith/train')
  const embeddings = vectors ? await openEmbeddings(files.queries) : undefined
  try {
    return trainingQueries({
      files: { ...files, rankings: files.run },
      rankings: await readRun(files.run),
      qrels: await readQrels(files.qrels),
      documents: docs,
      level,
      vectors: embeddings,
      texts: vectors
        ? undefined
        : await byId(readTexts(files.queries), ({ id, text }) => [id, text]),
      labels: files.labels === undefined ? undefined : await labelsOf(files.labels),
    })
  } finally {
    await embeddings?.close()
  }
}

async function labelsOf(file: string): Promise<Map<string, LabelledQuery>> {
  const labels = new Map<string, LabelledQuery>()
  for await (const entry of readLabels(file)) {
    if (labels.has(entry.query)) {
      throw new FileError(file, '', `query ${entry.query} has labels twice`)
    }
    labels.set(entry.query, entry)
  }
  return labels
}

async function byId<T, V>(
  entries: AsyncIterable<T>,
  pair: (entry: T) => [string, V],
): Promise<Map<string, V>> {
  const map = new Map<string, V>()
  for await (const entry of entries) map.set(...pair(entry))
  return map
}
