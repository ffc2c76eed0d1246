import { type ListOptions, type MethodSettings, Selection, type TermStatistics } from '@kith/core'
import { lookedAt, similaritySettings, tokenizerOf } from '@kith/core/internal'
import type { RankedQuery } from '@kith/ir'
import type { RunColumns } from '@kith/ir/internal'
import { loadLanguages } from '@kith/languages/load'
import type { Store } from '@kith/stores'
import { ContextVectors } from '../join/contexts.ts'
import { type MissingPolicy, MissingReport } from '../join/missing.ts'
import { PreparedTexts } from '../join/prepared-texts.ts'
import {
  type JoinedQuery,
  joinSlice,
  type NewOrder,
  newOrder,
  ordererOf,
} from '../rerank/rerank-slice.ts'
import { namedError } from '../tasks/job.ts'
import {
  batchVectors,
  documentsOf,
  documentTexts,
  queryTexts,
  queryVectors,
} from './batch-documents.ts'
import { type BatchQuery, damaged } from './batch-item.ts'
import type { PortionAnswer } from './batch-work.ts'
import { decodeOrder, encodeOrder } from './encode-order.ts'

/** The settings for reranking queries, on any machine. */
export interface RerankWork {
  settings: MethodSettings
  missing: MissingPolicy
  /** Whether the texts are scored. */
  texts: boolean
  /** Whether to use the term statistics of the corpus, which are too large for these settings. */
  statistics: boolean
  /** The columns of the results besides the score; batches of earlier versions have none. */
  columns?: readonly (keyof RunColumns)[] | undefined
}

/** Inputs of a job that are too large for its settings. */
export interface RerankParts {
  statistics?: TermStatistics | undefined
  /**
   * Options for truncating the rankings and estimating relevance; undefined if neither is needed.
   */
  list?: ListOptions | undefined
}

/**
 * Reranks a batch with documents from a store, in the same way as with documents from files.
 * Returns for each query the old ranks and new scores as bytes; no bytes if it keeps the old
 * ranking.
 */
export async function rerankBatch(
  store: Store,
  work: RerankWork,
  items: readonly BatchQuery[],
  { statistics, list }: RerankParts,
): Promise<PortionAnswer> {
  const { missing, texts, columns = [] } = work
  const settings = { ...work.settings, statistics }
  // When collapsing, any candidate may be folded into another.
  const looked = list?.collapse === undefined ? lookedAt(settings, texts) : Infinity
  const rules = { missing, lookedAt: looked }
  // A list needs the similarity of all candidates in the context.
  const chooses = texts && !list && settings.mix === 'words' && settings.method === 'neighbors'
  const batch = { store, settings, rules, items, list, report: new MissingReport() }
  const { joined, reorder } = chooses ? await chosenBatch(batch) : await wholeBatch(batch, texts)
  const orders = joined.map((query) => query && reorder(query))
  return {
    bodies: orders.map((order) => (order ? encodeOrder(order, columns) : Buffer.alloc(0))),
    missing: batch.report.all(),
    folded: orders.reduce((sum, order) => sum + (order?.folded ?? 0), 0),
  }
}

/** The queries of a batch, and the store with their documents. */
interface RerankedBatch {
  store: Store
  settings: MethodSettings
  rules: { missing: MissingPolicy; lookedAt: number }
  items: readonly BatchQuery[]
  list: ListOptions | undefined
  report: MissingReport
}

/** The joined queries of a batch, and the function that ranks them. */
interface RankableBatch {
  joined: (JoinedQuery | undefined)[]
  reorder(query: JoinedQuery): NewOrder
}

/** Reads the vectors of all considered candidates from the store. */
async function wholeBatch(
  { store, settings, rules, items, list, report }: RerankedBatch,
  compares: boolean,
): Promise<RankableBatch> {
  const found = await batchVectors(store, items, neededIds(items, rules))
  const { documents, queries, docs, sources } = found
  await loadLanguages(tokenizerOf(settings))
  const texts = compares
    ? PreparedTexts.of(queryTexts(items), documentTexts(documents.values()), tokenizerOf(settings))
    : undefined
  const joined = joinSlice(items, { queries, docs, texts }, rules, report)
  report.check(rules.missing)
  const contexts = new ContextVectors(sources)
  return { joined, reorder: ordererOf(settings, contexts, list) }
}

/**
 * Reads the texts of all preselected candidates from the store, and then only the vectors of the
 * candidates chosen by words and the run's scores, about a quarter of them.
 */
async function chosenBatch({
  store,
  settings: all,
  rules,
  items,
  report,
}: RerankedBatch): Promise<RankableBatch> {
  const settings = similaritySettings(all)
  const documents = await documentsOf(store, neededIds(items, rules), { vectors: false })
  const entries = documentTexts(documents.values())
  await loadLanguages(tokenizerOf(settings))
  const texts = PreparedTexts.of(queryTexts(items), entries, tokenizerOf(settings))
  const queries = queryVectors(items, store.dimensions ?? 0)
  // Every document of the store has a vector.
  const docs = { rowOf: (id: string) => (documents.has(id) ? 0 : undefined) }
  const joined = joinSlice(items, { queries, docs, texts }, rules, report)
  report.check(rules.missing)
  const chosen = new Map<JoinedQuery, { selection: Selection; ids: string[] }>()
  for (const [i, query] of joined.entries()) {
    if (!query) continue
    const { ids, scores } = items[i]!
    const places = query.places.subarray(0, query.rows.length)
    if (!scores && places.length > 0) throw damaged(query.query, 'the candidates have no scores')
    const own = Float64Array.from(places, (place) => scores![place]!)
    const { text, texts: found } = query
    const candidates = { texts: found!, scores: own }
    const selection = named(query, () => new Selection({ text: text! }, candidates, settings))
    const names = Array.from(selection.chosen, (index) => ids[places[index]!]!)
    chosen.set(query, { selection, ids: names })
  }
  const wanted = [...chosen.values()].flatMap(({ ids }) => ids)
  const found = await documentsOf(store, wanted, { texts: false })
  return {
    joined,
    reorder(query) {
      const { selection, ids } = chosen.get(query)!
      const vectors = ids.map((id) => found.get(id)?.vector)
      const vector = queries.read(query.row, query.row + 1)
      return newOrder(
        query,
        named(query, () => selection.rerank(vector, vectors)),
      )
    },
  }
}

/** Adds the query's id to an error of the core. */
function named<T>(query: JoinedQuery, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw namedError(error, query)
  }
}

/**
 * Yields the ids of the considered candidates; all ids if candidates may be skipped, since later
 * ones move up.
 */
function* neededIds(
  items: readonly BatchQuery[],
  { lookedAt: most, missing }: RerankedBatch['rules'],
): Generator<string> {
  for (const { ids } of items) yield* missing === 'skip' ? ids : ids.slice(0, most)
}

/**
 * Decodes the new ranking of an item from the bytes of its result.
 *
 * @param names The columns of the result besides the score.
 */
export function decodeRanking(
  item: BatchQuery,
  body: Uint8Array,
  names: readonly (keyof RunColumns)[] = [],
): RankedQuery {
  const { query, ids, scores = new Float64Array(0) } = item
  if (body.length === 0) {
    return { query, ids, scores, columns: Object.fromEntries(names.map((name) => [name, []])) }
  }
  const order = decodeOrder(body, ids.length, names)
  if (!order) throw damaged(query, `the result is not an order of the ${ids.length} candidates`)
  const { places, scores: placed, columns } = order
  return { query, ids: Array.from(places, (place) => ids[place]!), scores: placed, columns }
}
