import {
  type MethodSettings,
  type Ranking,
  similaritySettings,
  type TermStatistics,
} from '@kith/core'
import { lookedAt } from '@kith/core/internal'
import type { RankedQuery } from '@kith/ir'
import type { Store } from '@kith/stores'
import type { MissingPolicy, MissingReport } from '../join/missing.ts'
import { PreparedTexts } from '../join/prepared-texts.ts'
import { newRanking } from '../rerank/new-rankings.ts'
import { type RerankTask, rerankTasks } from '../rerank/rerank-tasks.ts'
import { runTasks } from '../tasks/task-pool.ts'
import { batchVectors } from './batch-embeddings.ts'
import { type BatchItem, bytesOf, copyOf, damaged } from './batch-item.ts'
import { neededIds, rankingOf, runOf } from './batch-run.ts'
import { selectBatch } from './batch-select.ts'
import { documentTexts, queryTexts } from './batch-texts.ts'
import type { PortionAnswer } from './batch-work.ts'

/** The settings that a batch is reranked with. */
export interface RerankWork {
  settings: MethodSettings
  missing: MissingPolicy
  /** Whether the words are looked at. */
  texts: boolean
  /** Whether the term statistics of the collection count, which are too large for these settings. */
  statistics: boolean
}

/**
 * Reranks a batch with documents from a store as files are. For each query, places in the old
 * ranking and new scores as bytes; none where it keeps the old one.
 */
export async function rerankBatch(
  store: Store,
  work: RerankWork,
  items: readonly BatchItem[],
  statistics: TermStatistics | undefined,
): Promise<PortionAnswer> {
  const { missing, texts } = work
  const settings = { ...work.settings, statistics }
  const chooses = texts && settings.mix === 'words' && settings.method === 'neighbors'
  const { rankings, report } = chooses
    ? await selectBatch(store, { settings: similaritySettings(settings), missing }, items)
    : await rankBatch(store, { settings, missing, texts }, items)
  const run = runOf(items)
  const bodies = new Map<string, Buffer>()
  for (const [task, answer] of rankings) {
    const { scores } = newRanking(run.get(task.query)!, task, answer)
    const places = Uint32Array.from(answer.order, (candidate) => task.places[candidate]!)
    bodies.set(task.query, Buffer.concat([bytesOf(places), bytesOf(scores as Float32Array)]))
  }
  return {
    bodies: items.map(({ query }) => bodies.get(query) ?? Buffer.alloc(0)),
    missing: report.all(),
  }
}

/** Reranks with the vectors of all candidates that are looked at, by the same tasks and jobs as files are. */
async function rankBatch(
  store: Store,
  { settings, missing, texts: compares }: Omit<RerankWork, 'statistics'>,
  items: readonly BatchItem[],
): Promise<{ rankings: [RerankTask, Ranking][]; report: MissingReport }> {
  const looked = lookedAt(settings, compares)
  const needed = neededIds(items, looked, missing)
  const { documents, queries, docs, sources } = await batchVectors(store, items, needed)
  const texts = compares
    ? PreparedTexts.of(queryTexts(items), documentTexts(documents.values()), settings.tokenizer)
    : undefined
  const plan = { run: runOf(items), queries, docs, texts, missing, lookedAt: looked }
  const { list, report } = rerankTasks(plan)
  const inputs = {
    ...sources,
    queryTexts: texts?.queries.share(),
    docTexts: texts?.documents.share(),
    settings,
  }
  const rankings: [RerankTask, Ranking][] = []
  for await (const done of runTasks('rerank', inputs, list, 1)) rankings.push(done)
  return { rankings, report }
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
