import { type OpenEmbeddingsOptions, openEmbeddings, type RankedQuery, writeRun } from '@kith/ir'
import { writeSidecar } from '@kith/pipelines/internal'
import { searchExact } from '@kith/stores'
import type { Output } from '../terminal/output.ts'

/** Files of embeddings to search, and where the run goes. */
export interface SearchJob extends OpenEmbeddingsOptions {
  queries: string
  docs: string
  out: string
  top: number
  metric?: 'dot' | 'cosine' | undefined
  workers?: number | undefined
}

/** How a search went. */
export interface SearchResult {
  queries: number
  documents: number
  perQuery: number
  seconds: number
}

/** Finds the documents most similar to each query, exactly, and writes them as a run. */
export async function searchFiles(
  {
    queries: queriesFile,
    docs: docsFile,
    out,
    top,
    metric = 'dot',
    workers,
    ...options
  }: SearchJob,
  output: Output,
): Promise<SearchResult> {
  const queries = await openEmbeddings(queriesFile, options)
  const docs = await openEmbeddings(docsFile, options)
  try {
    const start = performance.now()
    const progress = output.progress('searching', docs.rows)
    const matrix = {
      data: queries.read(0, queries.rows),
      rows: queries.rows,
      dimensions: queries.dimensions,
    }
    const found = await searchExact(matrix, docs, {
      top,
      metric,
      ...(workers === undefined ? {} : { workers }),
      onProgress: (done) => progress.update(done),
    }).finally(() => progress.end())
    const seconds = (performance.now() - start) / 1000
    const rankings = function* (): Generator<RankedQuery> {
      for (let q = 0; q < queries.rows; q++) {
        const from = q * found.perQuery
        const ids: string[] = []
        for (let i = 0; i < found.perQuery; i++) ids.push(docs.idOf(found.rows[from + i]!))
        const scores = found.scores.subarray(from, from + found.perQuery)
        yield { query: queries.idOf(q), ids, scores }
      }
    }
    await writeRun(out, rankings())
    await writeSidecar(out, 'search', { top, metric }, [queriesFile, docsFile])
    return { queries: queries.rows, documents: docs.rows, perQuery: found.perQuery, seconds }
  } finally {
    queries.close()
    docs.close()
  }
}
