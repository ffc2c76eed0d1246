import type { FileEmbeddings } from '@kith/ir'
import type { MissingPolicy } from '../join/missing.ts'
import type { WantedTexts } from '../join/prepared-texts.ts'
import { type OpenRun, rankingsOf, tasksOf } from '../tasks/open-run.ts'

/** The candidates that are looked at. */
interface Candidates {
  queries: FileEmbeddings
  docs: FileEmbeddings
  missing: MissingPolicy
  lookedAt: number
}

/**
 * The texts that reranking a run needs, of queries and documents that have an embedding. A byte for
 * each row is all that is kept of the run.
 */
export async function textsOfSlices(
  run: OpenRun,
  { queries, docs, missing, lookedAt }: Candidates,
): Promise<WantedTexts> {
  const asked = new Uint8Array(queries.rows)
  const needed = new Uint8Array(docs.rows)
  for await (const task of tasksOf(run)) {
    const { queries: names, starts, order, documents } = rankingsOf(task)
    for (const [i, query] of names.entries()) {
      const row = queries.rowOf(query)
      if (row === undefined) continue
      asked[row] = 1
      // Where candidates are skipped, later ones move up into the context.
      const end =
        missing === 'skip' ? starts[i + 1]! : Math.min(starts[i]! + lookedAt, starts[i + 1]!)
      for (let place = starts[i]!; place < end; place++) {
        const found = docs.ids.find(documents, order[place]!)
        if (found >= 0) needed[found] = 1
      }
    }
  }
  return {
    query: (id) => asked[queries.rowOf(id) ?? -1] === 1,
    document: (id) => needed[docs.rowOf(id) ?? -1] === 1,
  }
}
