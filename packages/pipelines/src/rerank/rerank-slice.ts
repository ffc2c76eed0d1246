/** The one executor of rerankings: files, stores, batches and teachers hand it queries with candidates. */

import {
  type ListOptions,
  type MethodSettings,
  type PartialMethodSettings,
  type PreparedText,
  type Ranking,
  Reranker,
  shortlist,
  type Text,
  type Vectors,
} from '@kith/core'
import { extendRanking } from '@kith/core/internal'
import type { RankedQuery } from '@kith/ir'
import { type RankingForm, RankingLines } from '@kith/ir/internal'
import {
  type ContextRows,
  type ContextVectors,
  ListedDocuments,
  openSlices,
  type SliceSources,
} from '../join/contexts.ts'
import { type DocumentId, Join, type JoinedTexts, type JoinSources } from '../join/join.ts'
import { type MissingIds, type MissingPolicy, MissingReport } from '../join/missing.ts'
import { RowTexts, type SharedRowTexts } from '../join/prepared-texts.ts'
import type { Job } from '../tasks/job.ts'
import { readSlice, type SliceTask } from '../tasks/open-run.ts'

/** How much of a query is looked at, and what happens where something is missing. */
export interface RerankRules {
  missing: MissingPolicy
  /** How many of a query's first candidates are looked at. */
  lookedAt: number
}

/** A query whose embedding, candidates and texts were found. */
export interface JoinedQuery extends ContextRows {
  /** The texts of the query and the candidates, if words count. */
  text: PreparedText | undefined
  texts: PreparedText[] | undefined
  /** The places in the old ranking: those that are looked at first, then all others in their order. */
  places: Uint32Array
}

/**
 * Joins the queries of a slice with their embeddings and texts; undefined for a query that lacks
 * something, which keeps its old ranking.
 *
 * @param report Gets the ids that lack something.
 */
export function joinSlice<Id extends DocumentId>(
  slice: readonly { query: string; ids: ArrayLike<Id> }[],
  sources: JoinSources<Id> & { texts: JoinedTexts<Id> | undefined },
  { missing, lookedAt }: RerankRules,
  report: MissingReport,
): (JoinedQuery | undefined)[] {
  const { texts } = sources
  const join = new Join(sources, missing, report)
  return slice.map(({ query, ids }) => {
    const row = join.query(query)
    if (row === undefined) return undefined
    const { rows, places } = join.candidates(ids, lookedAt)
    return {
      query,
      row,
      rows: new Uint32Array(rows),
      text: texts?.query(query),
      texts: texts && places.map((place, i) => texts.document(ids[place]!, rows[i]!)),
      places: withOthersBehind(places, ids.length),
    }
  })
}

/** Ranks joined queries by the vectors of their candidates, and by the words where these count. */
export function rankerOf(
  settings: MethodSettings,
  contexts: ContextVectors,
): (joined: JoinedQuery) => Ranking {
  const reranker = new Reranker(settings)
  return (joined) => contexts.use(joined, (vectors) => rankContext(reranker, joined, vectors))
}

/** Ranks the candidates of one query, by the words too where all of them have texts. */
export function rankContext(
  reranker: Reranker,
  { text, texts }: Pick<Context, 'text' | 'texts'>,
  { vector, vectors }: Pick<Context, 'vector' | 'vectors'>,
  settings?: PartialMethodSettings,
): Ranking {
  return reranker.rerank({ vector, text }, { vectors, texts }, settings)
}

/** A query and its candidates. */
interface Context {
  vector: Float32Array
  vectors: Vectors
  text?: Text | undefined
  texts?: readonly Text[] | undefined
}

/** Everything that reranking the slices of a run takes, in a form that can be handed to a worker thread. */
export interface RerankSliceInputs extends SliceSources, RerankRules {
  /** The texts, where the words count. */
  texts: SharedRowTexts | undefined
  settings: MethodSettings
  /** The file of the rankings; without a file they are returned. */
  form: RankingForm | undefined
  /** The cutoff of the rankings, if any. */
  list?: ListOptions | undefined
}

/** A slice of the run, reranked. */
export interface RerankedSlice {
  /** The slice's part of the file, or its rankings if there is no file. */
  lines: Uint8Array<ArrayBuffer> | undefined
  rankings: RankedQuery[]
  /** How many queries it has, and how many of them were reranked. */
  queries: number
  reranked: number
  /** The ids that lack something; where that is an error, nothing was reranked. */
  missing: MissingIds[]
}

/** Reranks slice after slice of a run: reads it, joins it, ranks it, and formats the result. */
export async function openRerankSliceJob(
  inputs: RerankSliceInputs,
): Promise<Job<SliceTask, RerankedSlice>> {
  const { queries, docs, vectors } = await openSlices(inputs)
  const texts = inputs.texts && new RowTexts(inputs.texts, queries)
  const rank = rankerOf(inputs.settings, vectors)
  const lines = inputs.form && new RankingLines(inputs.form)
  return {
    run(slice) {
      const { list, documents, scores } = readSlice(slice)
      const report = new MissingReport()
      const sources = { queries, docs: new ListedDocuments(docs, documents), texts }
      const joined = joinSlice(list, sources, inputs, report)
      const made: RerankedSlice = {
        ...{ lines: undefined, rankings: [], queries: list.length, reranked: 0 },
        missing: report.all(),
      }
      // If missing data is an error, only the count of all missing data matters.
      const refused = inputs.missing === 'error' && report.size > 0
      for (let i = 0; i < list.length && !refused; i++) {
        const { query, ids } = list[i]!
        const one = joined[i]
        const order = one && (inputs.list ? cut(one, inputs.list) : newOrder(one, rank(one)))
        if (order) made.reranked++
        // A run has no line for a query without documents.
        if (order?.places.length === 0) continue
        const columns = order
          ? columnsOf(order)
          : { scores: Float64Array.from(ids, (number) => scores[number]!) }
        const rows = order ? pick(ids, order.places) : ids
        if (lines) lines.add({ query, ...columns, ids: documents, rows })
        else made.rankings.push({ query, ...columns, ids: names(rows) })
      }
      made.lines = lines?.take()
      return made

      function cut(one: JoinedQuery, list: ListOptions): NewOrder {
        const options = { ...inputs.settings, ...list }
        const { hits } = vectors.use(one, ({ vector, vectors: found }) =>
          shortlist({ vector, text: one.text }, { vectors: found, texts: one.texts }, options),
        )
        return {
          places: Uint32Array.from(hits, ({ index }) => one.places[index]!),
          scores: strictlyFalling(Float32Array.from(hits, ({ score }) => score)),
        }
      }

      function names(rows: Uint32Array): string[] {
        return Array.from(rows, (number) => documents.get(number))
      }
    },
    close: () => vectors.close(),
  }
}

/** The numbers at some places of a list. */
function pick(list: ArrayLike<number>, places: Uint32Array): Uint32Array {
  const picked = new Uint32Array(places.length)
  for (let i = 0; i < places.length; i++) picked[i] = list[places[i]!]!
  return picked
}

/** Some places of a ranking, ascending, and behind them all others in their order. */
function withOthersBehind(first: readonly number[], total: number): Uint32Array {
  const places = new Uint32Array(total)
  let next = 0
  for (const place of first) places[next++] = place
  let known = 0
  for (let place = 0; place < total; place++) {
    if (first[known] === place) known++
    else places[next++] = place
  }
  return places
}

/** A query's new order: places in the old ranking, best first, and scores that fall. */
export interface NewOrder {
  places: Uint32Array
  scores: Float32Array
}

/**
 * The new order of all of a query's candidates, from the ranking of those that are looked at.
 *
 * @param places The places in the old ranking: those that are looked at first, then all others.
 */
export function newOrder({ places }: { places: Uint32Array }, ranking: Ranking): NewOrder {
  const { order, scores } =
    ranking.order.length === places.length ? ranking : extendRanking(ranking, places.length)
  return { places: pick(places, order), scores: strictlyFalling(scores) }
}

/** The run's data of each document besides its id, in the new order. */
export function columnsOf({ scores }: NewOrder): Omit<RankedQuery, 'query' | 'ids'> {
  return { scores }
}

/**
 * The ranking with its first documents in another order, all others behind them as they were. Every
 * place keeps its score.
 *
 * @param first The places of the first documents, best first.
 */
export function reorderFirst(
  { query, ids, scores }: RankedQuery,
  first: readonly number[],
): RankedQuery {
  const behind = <T>(list: readonly T[]): T[] => [
    ...first.map((place) => list[place]!),
    ...list.slice(first.length),
  ]
  return { query, ids: behind(ids), scores: strictlyFalling(Float32Array.from(scores)) }
}

/** An order as bytes, for a batch's results. */
export function encodeOrder({ places, scores }: NewOrder): Buffer {
  return Buffer.concat(
    [places, scores].map((list) => Buffer.from(list.buffer, list.byteOffset, list.byteLength)),
  )
}

/** The order that bytes were made of; undefined if they are no order of so many candidates. */
export function decodeOrder(body: Uint8Array, candidates: number): NewOrder | undefined {
  const bytes = new Uint8Array(body).buffer
  if (bytes.byteLength % 8 !== 0) return undefined
  const places = new Uint32Array(bytes, 0, bytes.byteLength / 8)
  const sound =
    places.every((place) => place < candidates) && new Set(places).size === places.length
  return sound ? { places, scores: new Float32Array(bytes, bytes.byteLength / 2) } : undefined
}

const float = new Float32Array(1)
const bits = new Int32Array(float.buffer)

/** Equal scores would be reordered by document id by every tool that reads the run. */
function strictlyFalling(scores: Float32Array): Float32Array {
  for (let i = 1; i < scores.length; i++) {
    if (scores[i]! < scores[i - 1]!) continue
    float[0] = scores[i - 1]!
    // The next float below: towards zero for a positive one, away from it for the others.
    if (float[0] === 0) float[0] = -1e-45
    else bits[0]! += float[0]! > 0 ? -1 : 1
    scores[i] = float[0]!
  }
  return scores
}
