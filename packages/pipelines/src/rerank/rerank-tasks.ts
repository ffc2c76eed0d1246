import type { Embeddings, RankedQuery, Run } from '@kith/ir'
import { Join } from '../join/join.ts'
import type { MissingPolicy, MissingReport } from '../join/missing.ts'
import type { PreparedTexts } from '../join/prepared-texts.ts'

/** The run to rerank, and the data and settings for it. */
export interface RerankPlan {
  run: Iterable<RankedQuery> & Pick<Run, 'has'>
  queries: Pick<Embeddings, 'rowOf'>
  docs: Pick<Embeddings, 'rowOf'>
  /** The texts, where the words count. */
  texts: PreparedTexts | undefined
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
  const { queries, docs, texts, lookedAt } = plan
  const join = new Join({ queries, docs, texts }, plan.missing)
  const list: RerankTask[] = []
  for (const { query, ids } of plan.run) {
    const row = join.query(query)
    if (row === undefined) continue
    const { rows, places } = join.candidates(ids, lookedAt)
    list.push({
      query,
      row,
      text: texts?.queries.numberOf(query) ?? 0,
      rows: Uint32Array.from(rows),
      texts: Uint32Array.from(
        texts ? places.map((place) => texts.documents.numberOf(ids[place]!)!) : [],
      ),
      places: withOthersBehind(places, ids.length),
    })
  }
  join.check()
  return { list, report: join.report }
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
