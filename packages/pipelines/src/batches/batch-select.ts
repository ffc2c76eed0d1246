import { extendRanking, type Ranking, Selection, type Settings } from '@kith/core'
import { lookedAt } from '@kith/core/internal'
import type { Store } from '@kith/stores'
import type { MissingPolicy, MissingReport } from '../join/missing.ts'
import { PreparedTexts } from '../join/prepared-texts.ts'
import { type RerankTask, rerankTasks } from '../rerank/rerank-tasks.ts'
import { namedError } from '../tasks/named-error.ts'
import { documentsOf, queryVectors } from './batch-embeddings.ts'
import { type BatchItem, damaged } from './batch-item.ts'
import { neededIds, runOf } from './batch-run.ts'
import { documentTexts, queryTexts } from './batch-texts.ts'

/** A query whose candidates were chosen by their words and the run's scores. */
interface Chosen {
  task: RerankTask
  selection: Selection
  /** The ids of the chosen candidates. */
  ids: string[]
}

/**
 * Reranks a batch with the words: takes the texts of all candidates that are looked at from the
 * store, and then the vectors of the chosen ones, which are a quarter of them.
 */
export async function selectBatch(
  store: Store,
  { settings, missing }: { settings: Settings; missing: MissingPolicy },
  items: readonly BatchItem[],
): Promise<{ rankings: [RerankTask, Ranking][]; report: MissingReport }> {
  const looked = lookedAt(settings, true)
  const needed = neededIds(items, looked, missing)
  const documents = await documentsOf(store, needed, { vectors: false })
  const { tokenizer } = settings
  const texts = PreparedTexts.of(queryTexts(items), documentTexts(documents.values()), tokenizer)
  const queries = queryVectors(items, store.dimensions ?? 0)
  // A document of the store has a vector.
  const docs = { rowOf: (id: string) => (documents.has(id) ? 0 : undefined) }
  const plan = { run: runOf(items), queries, docs, texts, missing, lookedAt: looked }
  const { list, report } = rerankTasks(plan)
  const byQuery = new Map(items.map((item) => [item.query, item]))
  const chosen = list.map((task) => choose(task, byQuery.get(task.query)!, texts, settings))
  const ids = chosen.flatMap((query) => query.ids)
  const found = await documentsOf(store, ids, { texts: false })
  const rankings = chosen.map(({ task, selection, ids }): [RerankTask, Ranking] => {
    const vectors = ids.map((id) => found.get(id)?.vector)
    const ranking = named(task, () =>
      selection.rerank(queries.read(task.row, task.row + 1), vectors),
    )
    return [task, extendRanking(ranking, task.places.length)]
  })
  return { rankings, report }
}

function choose(
  task: RerankTask,
  { ids, scores }: BatchItem,
  texts: PreparedTexts,
  settings: Settings,
): Chosen {
  const places = task.places.subarray(0, task.texts.length)
  if (!scores && places.length > 0) throw damaged(task.query, 'its candidates have no scores')
  const candidates = {
    texts: Array.from(places, (place) => texts.documents.get(ids[place]!)!),
    scores: Float64Array.from(places, (place) => scores![place]!),
  }
  const text = texts.queries.get(task.query)
  const selection = named(task, () => new Selection({ text }, candidates, settings))
  return { task, selection, ids: Array.from(selection.chosen, (index) => ids[places[index]!]!) }
}

/** Names the query in an error of the core. */
function named<T>(task: RerankTask, body: () => T): T {
  try {
    return body()
  } catch (error) {
    throw namedError(error, task)
  }
}
