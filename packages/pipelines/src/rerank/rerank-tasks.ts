import { KithError } from '@kith/core'
import type { Embeddings, RankedQuery, Run } from '@kith/ir'
import { type MissingPolicy, MissingReport } from '../join/missing.ts'
import type { Shelves } from '../join/text-shelf.ts'

/** What is to be reranked, and with what. */
export interface RerankPlan {
  run: Iterable<RankedQuery> & Pick<Run, 'has'>
  queries: Embeddings
  docs: Embeddings
  shelves: Shelves | undefined
  missing: MissingPolicy
  contextSize: number
}

/** One query to rerank. */
export interface RerankTask {
  query: string
  /** Its row among the queries' embeddings, and the number of its text. */
  row: number
  text: number
  /** The rows and texts of the context's documents. */
  rows: Uint32Array
  texts: Uint32Array
  /** The places in the old ranking: those of the context first, then all others in their order. */
  places: Uint32Array
}

/** Turns a run into tasks. What is missing is counted, and stops everything unless it may be skipped. */
export function rerankTasks(plan: RerankPlan): { list: RerankTask[]; remarks: string[] } {
  const lost = new MissingReport()
  const list: RerankTask[] = []
  for (const { query, ids } of plan.run) {
    const row = plan.queries.rowOf(query)
    const text = plan.shelves ? plan.shelves.queries.numberOf(query) : 0
    if (row === undefined) lost.add('queries of the run have no embedding', query)
    else if (text === undefined) lost.add('queries of the run have no text', query)
    else list.push({ query, row, text, ...contextOf(plan, ids, lost) })
  }
  const remarks = lost.remarks()
  if (remarks.length > 0 && plan.missing === 'error') {
    throw new KithError('BAD_INPUT', `${remarks.join('; ')} (--missing skip goes on without them)`)
  }
  return { list, remarks }
}

/** The first candidates that have all they need are the context; the others stay behind it. */
function contextOf(
  { docs, shelves, contextSize }: RerankPlan,
  ids: readonly string[],
  lost: MissingReport,
): Pick<RerankTask, 'rows' | 'texts' | 'places'> {
  const places: number[] = []
  const behind: number[] = []
  const rows: number[] = []
  const texts: number[] = []
  ids.forEach((id, place) => {
    if (places.length === contextSize) {
      behind.push(place)
      return
    }
    const row = docs.rowOf(id)
    const text = shelves ? shelves.documents.numberOf(id) : 0
    if (row === undefined || text === undefined) {
      lost.add(`candidates of the run have no ${row === undefined ? 'embedding' : 'text'}`, id)
      behind.push(place)
      return
    }
    places.push(place)
    rows.push(row)
    texts.push(text)
  })
  return {
    rows: Uint32Array.from(rows),
    texts: Uint32Array.from(texts),
    places: Uint32Array.from([...places, ...behind]),
  }
}
