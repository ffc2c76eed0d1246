import type { MethodSettings } from '@kith/core'
import type { RankedQuery } from '@kith/ir'
import type { Store } from '@kith/stores'
import type { MissingPolicy } from '../join/missing.ts'
import { PreparedTexts } from '../join/prepared-texts.ts'
import { newRanking } from '../rerank/new-rankings.ts'
import { rerankTasks } from '../rerank/rerank-tasks.ts'
import { runTasks } from '../tasks/task-pool.ts'
import { batchVectors } from './batch-embeddings.ts'
import { type BatchItem, bytesOf, copyOf, damaged } from './batch-item.ts'
import { documentTexts, queryTexts } from './batch-texts.ts'
import type { PortionAnswer } from './batch-work.ts'

/** The settings that a batch is reranked with. */
export interface RerankWork {
  settings: MethodSettings
  missing: MissingPolicy
  /** Whether the words are looked at. */
  texts: boolean
}

/**
 * Reranks a batch with documents from a store, by the same tasks and jobs as files are. For each
 * query, places in the old ranking and new scores as bytes; none where it keeps the old one.
 */
export async function rerankBatch(
  store: Store,
  { settings, missing, texts: compares }: RerankWork,
  items: readonly BatchItem[],
): Promise<PortionAnswer> {
  const needed = neededIds(items, settings.contextSize, missing)
  const { documents, queries, docs, sources } = await batchVectors(store, items, needed)
  const rankings = new Map(items.map((item) => [item.query, rankingOf(item)]))
  const run = { has: (id: string) => rankings.has(id), [Symbol.iterator]: () => rankings.values() }
  const texts = compares
    ? PreparedTexts.of(queryTexts(items), documentTexts(documents.values()), settings.terms)
    : undefined
  const plan = { run, queries, docs, texts, missing, lookedAt: settings.contextSize }
  const { list, report } = rerankTasks(plan)
  const inputs = {
    ...sources,
    queryTexts: texts?.queries.share(),
    docTexts: texts?.documents.share(),
    settings,
  }
  const bodies = new Map<string, Buffer>()
  for await (const [task, answer] of runTasks('rerank', inputs, list, 1)) {
    const ranking = rankings.get(task.query)!
    const { scores } = newRanking(ranking, task, answer)
    const places = Uint32Array.from(answer.order, (candidate) => task.places[candidate]!)
    bodies.set(task.query, Buffer.concat([bytesOf(places), bytesOf(scores as Float32Array)]))
  }
  return {
    bodies: items.map(({ query }) => bodies.get(query) ?? Buffer.alloc(0)),
    missing: report.all(),
  }
}

/** The new ranking of an item, from the bytes of its result. */
export function decodeRanking(item: BatchItem, body: Uint8Array): RankedQuery {
  if (body.length === 0) return rankingOf(item)
  if (body.length % 8 !== 0) throw damaged(item.query, `a result of ${body.length} bytes`)
  const places = new Uint32Array(copyOf(body, 0, body.length / 2))
  if (new Set(places).size !== places.length || places.some((place) => place >= item.ids.length)) {
    throw damaged(item.query, `its result is not an order of its ${item.ids.length} candidates`)
  }
  return {
    query: item.query,
    ids: Array.from(places, (place) => item.ids[place]!),
    scores: new Float32Array(copyOf(body, body.length / 2, body.length)),
  }
}

function rankingOf({ query, ids, scores = new Float64Array(0) }: BatchItem): RankedQuery {
  return { query, ids, scores }
}

/** The candidates of the contexts; where some may be skipped, later ones move up into them. */
function* neededIds(
  items: readonly BatchItem[],
  contextSize: number,
  missing: MissingPolicy,
): Generator<string> {
  for (const { ids } of items) yield* missing === 'skip' ? ids : ids.slice(0, contextSize)
}
