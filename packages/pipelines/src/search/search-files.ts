import { type RankedQuery, writeRun } from '@kith/ir'
import { searchExact } from '@kith/stores'
import { writeSidecar } from '../files/sidecar.ts'
import { type Hooks, stageOf } from '../job/hooks.ts'
import { openVectors } from '../join/open-vectors.ts'
import type { SearchPlan, SearchResult } from './search-run.ts'

/** Finds the documents most similar to each query, exactly, and writes them as a run. */
export async function searchFiles(
  plan: SearchPlan & { docs: string },
  hooks: Hooks,
): Promise<SearchResult> {
  const { out, top, metric = 'dot', workers } = plan
  const { queries, docs, close } = await openVectors(plan)
  try {
    const start = performance.now()
    const matrix = {
      data: queries.read(0, queries.rows),
      rows: queries.rows,
      dimensions: queries.dimensions,
    }
    const onDone = stageOf(hooks, 'searching', docs.rows)
    const found = await searchExact(matrix, docs, {
      top,
      metric,
      ...(workers === undefined ? {} : { workers }),
      onProgress: (done) => onDone(done),
    })
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
    await writeSidecar(out, 'search', { top, metric }, [plan.queries, plan.docs])
    return { out, queries: queries.rows, documents: docs.rows, perQuery: found.perQuery, seconds }
  } finally {
    await close()
  }
}
