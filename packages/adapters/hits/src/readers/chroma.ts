import { denseVector, idIn, nearnessIn, type Reader } from '../reader.ts'

/** A row of Chroma's query result. */
export interface ChromaHit {
  embedding?: readonly number[] | null | undefined
  document?: string | null | undefined
}

/**
 * Reads rows of Chroma, `result.rows()[0]` for the first query: ask for them with
 * `include: ['embeddings', 'documents']`, and with `'distances'` for their scores.
 */
export function chroma(): Reader<ChromaHit> {
  return {
    vector: (row) => denseVector(row.embedding),
    text: (row) => row.document ?? undefined,
    score: (row) => nearnessIn(row, 'distance'),
    id: (row) => idIn(row, 'id'),
    advice: "query Chroma with include: ['embeddings', 'documents']",
  }
}
