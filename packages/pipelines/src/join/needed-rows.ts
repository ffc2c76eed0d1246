import type { FileEmbeddings } from '@kith/ir'
import { type OpenRun, readSlice, tasksOf } from '../tasks/open-run.ts'
import type { MissingPolicy } from './missing.ts'

/** Size in bytes up to which documents' embeddings are loaded whole: that takes no longer than choosing rows. */
export const LOAD_LATER = 1 << 26

/** The rows of embeddings that a run needs: 1 for each needed row. */
export interface NeededRows {
  queries: Uint8Array
  documents: Uint8Array
}

/** Finds the embeddings of a run's queries and of the first candidates of each query. */
export async function neededRows(
  run: OpenRun,
  { queries, docs }: { queries: FileEmbeddings; docs: FileEmbeddings },
  { missing, lookedAt }: { missing: MissingPolicy; lookedAt: number },
): Promise<NeededRows> {
  const needed = { queries: new Uint8Array(queries.rows), documents: new Uint8Array(docs.rows) }
  for await (const task of tasksOf(run)) {
    const { list, documents } = readSlice(task)
    for (const { query, ids } of list) {
      const row = queries.rowOf(query)
      if (row === undefined) continue
      needed.queries[row] = 1
      // If candidates are skipped, later candidates move up into the context.
      for (const number of missing === 'skip' ? ids : ids.subarray(0, lookedAt)) {
        const found = docs.ids.find(documents, number)
        if (found >= 0) needed.documents[found] = 1
      }
    }
  }
  return needed
}
