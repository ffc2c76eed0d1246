import type { Embeddings, RankedQuery } from '@kith/ir'
import { type DocumentId, Join, type TextNumbers } from '../join/join.ts'
import type { MissingPolicy, MissingReport } from '../join/missing.ts'

/** The run to rerank, and the data and settings for it. */
export interface RerankPlan {
  run: Iterable<RankedQuery>
  queries: Pick<Embeddings, 'rowOf'>
  docs: Pick<Embeddings, 'rowOf'>
  /** The texts, where the words count. */
  texts: TextNumbers | undefined
  missing: MissingPolicy
  /** How many of a query's first candidates are looked at. */
  lookedAt: number
}

/** One query to rerank. */
export interface RerankTask {
  query: string
  /** Its row among the queries' embeddings, and the number of its text. */
  row: number
  text: number
  /** The rows and texts of the documents that are looked at. */
  rows: Uint32Array
  texts: Uint32Array
  /** The places in the old ranking: those that are looked at first, then all others in their order. */
  places: Uint32Array
}

/** Turns a run into tasks. Missing embeddings and texts are counted, and are an error unless they may be skipped. */
export function rerankTasks(plan: RerankPlan): { list: RerankTask[]; report: MissingReport } {
  const join = new Join(plan, plan.missing)
  const list: RerankTask[] = []
  for (const { query, ids } of plan.run) {
    const task = rerankTask(query, ids, join, plan)
    if (task) list.push(task)
  }
  join.check()
  return { list, report: join.report }
}

/** The task of one query, undefined where the query lacks something. */
export function rerankTask<Id extends DocumentId>(
  query: string,
  ids: ArrayLike<Id>,
  join: Join<Id>,
  { texts, lookedAt }: { texts: TextNumbers<Id> | undefined; lookedAt: number },
): RerankTask | undefined {
  const row = join.query(query)
  if (row === undefined) return undefined
  const { rows, places } = join.candidates(ids, lookedAt)
  return {
    query,
    row,
    text: texts?.queryNumber(query) ?? 0,
    rows: new Uint32Array(rows),
    texts: new Uint32Array(
      texts ? places.map((place, i) => texts.documentNumber(ids[place]!, rows[i]!)) : [],
    ),
    places: withOthersBehind(places, ids.length),
  }
}

/** Some places of a ranking, ascending, and behind them all others in their order. */
function withOthersBehind(first: readonly number[], total: number): Uint32Array {
  const places = new Uint32Array(total)
  places.set(first)
  let next = first.length
  let known = 0
  for (let place = 0; place < total; place++) {
    if (first[known] === place) known++
    else places[next++] = place
  }
  return places
}
