/** Reranks queries with candidates, for files, stores, batches and teachers. */

import {
  type ListedHit,
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
import { type RankingForm, RankingLines, type RunColumns } from '@kith/ir/internal'
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
import { candidateFields, type RowFields } from './row-fields.ts'

/** The number of considered candidates, and the policy for missing data. */
export interface RerankRules {
  missing: MissingPolicy
  /** Number of a query's first candidates to consider. */
  lookedAt: number
}

/** A query with its embedding, candidates and texts. */
export interface JoinedQuery extends ContextRows {
  /** The texts of the query and of the candidates, if BM25 scores are used. */
  text: PreparedText | undefined
  texts: PreparedText[] | undefined
  /** Positions in the old ranking: preselected candidates first, then all others in their order. */
  places: Uint32Array
}

/**
 * Joins the queries of a slice with their embeddings and texts; undefined for a query with missing
 * data, which keeps its old ranking.
 *
 * @param report Collects the ids with missing data.
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
      texts: texts && textsOf(texts, ids, rows, places),
      places: withOthersBehind(places, ids.length),
    }
  })
}

/** Returns the texts of candidates. A loop: `map` gives V8 arrays of two kinds. */
function textsOf<Id extends DocumentId>(
  texts: JoinedTexts<Id>,
  ids: ArrayLike<Id>,
  rows: readonly number[],
  places: readonly number[],
): PreparedText[] {
  const found: PreparedText[] = []
  for (let i = 0; i < places.length; i++) found.push(texts.document(ids[places[i]!]!, rows[i]!))
  return found
}

/** Creates a function that ranks joined queries by vectors, and by words if they have texts. */
function rankerOf(
  settings: MethodSettings,
  contexts: ContextVectors,
): (joined: JoinedQuery) => Ranking {
  const reranker = new Reranker(settings)
  return (joined) => contexts.use(joined, (vectors) => rankContext(reranker, joined, vectors))
}

/** Creates a function that reorders joined queries; a list also folds, cuts and estimates. */
export function ordererOf(
  settings: MethodSettings,
  contexts: ContextVectors,
  list: ListOptions | undefined,
  fields?: RowFields,
): (joined: JoinedQuery) => NewOrder {
  const rank = rankerOf(settings, contexts)
  if (!list) return (joined) => newOrder(joined, rank(joined))
  return (joined) => {
    const { text, texts, places, rows } = joined
    const own = fields && candidateFields(fields, rows)
    const { hits, below } = contexts.use(joined, ({ vector, vectors }) =>
      shortlist({ vector, text }, { vectors, texts }, { ...settings, ...list, ...own }),
    )
    const values = (of: (hit: ListedHit) => number | undefined) =>
      Float32Array.from(hits, (hit) => of(hit) ?? Number.NaN)
    const ranking = {
      order: Uint32Array.from(hits.keys()),
      scores: values(({ score }) => score),
      similarities: values(({ similarity }) => similarity),
    }
    const listed = hits.map(({ index }) => places[index]!)
    const behind = list.cutoff === undefined ? places.subarray(rows.length) : []
    const order = newOrder({ places: Uint32Array.from([...listed, ...behind]) }, ranking)
    if (list.background) {
      const relevance = new Float32Array(order.places.length).fill(Number.NaN)
      relevance.set(values((hit) => hit.relevance))
      order.columns.relevance = relevance
    }
    return { ...order, folded: rows.length - hits.length - below.length }
  }
}

/** Ranks the candidates of one query, by words, too, if all of them have texts. */
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

/** The inputs for reranking the slices of a run, in a form that can be sent to a worker thread. */
export interface RerankSliceInputs extends SliceSources, RerankRules {
  /** The texts, if BM25 scores are used. */
  texts: SharedRowTexts | undefined
  settings: MethodSettings
  /** The file of the rankings; if undefined, the rankings are returned. */
  form: RankingForm | undefined
  /** Options for making lists of the rankings; undefined if none are needed. */
  list?: ListOptions | undefined
  /** The groups and priors of the documents, if the list uses them. */
  fields?: RowFields | undefined
}

/** A slice of the run, reranked. */
export interface RerankedSlice {
  /** The slice's part of the file, or its rankings if there is no file. */
  lines: Uint8Array<ArrayBuffer> | undefined
  rankings: RankedQuery[]
  /** Number of queries in the slice, and of reranked queries. */
  queries: number
  reranked: number
  /** Number of documents that were folded into others. */
  folded: number
  /** The ids with missing data; if that is an error, nothing was reranked. */
  missing: MissingIds[]
}

/** Opens a job that reads, joins, reranks and formats one slice of a run after another. */
export async function openRerankSliceJob(
  inputs: RerankSliceInputs,
): Promise<Job<SliceTask, RerankedSlice>> {
  const { queries, docs, vectors } = openSlices(inputs)
  const texts = inputs.texts && new RowTexts(inputs.texts, queries)
  const reorder = ordererOf(inputs.settings, vectors, inputs.list, inputs.fields)
  const none = emptyColumns(inputs.list)
  const lines = inputs.form && new RankingLines(inputs.form)
  return {
    run(slice) {
      const { list, documents, scores: oldScores } = readSlice(slice)
      const report = new MissingReport()
      const sources = { queries, docs: new ListedDocuments(docs, documents), texts }
      const joined = joinSlice(list, sources, inputs, report)
      const rankings: RankedQuery[] = []
      let [reranked, folded] = [0, 0]
      // If missing data is an error, nothing is reranked, and only the missing ids are reported.
      const refused = inputs.missing === 'error' && report.size > 0
      for (let i = 0; i < list.length && !refused; i++) {
        const { query, ids } = list[i]!
        const one = joined[i]
        const order = one && reorder(one)
        if (order) reranked++
        folded += order?.folded ?? 0
        // A run has no line for a query without documents.
        if (order?.places.length === 0) continue
        const scores = order?.scores ?? Float64Array.from(ids, (number) => oldScores[number]!)
        const columns = order?.columns ?? none
        const rows = order ? pick(ids, order.places) : ids
        if (lines) lines.add({ query, scores, columns, ids: documents, rows })
        else rankings.push({ query, scores, columns, ids: names(rows) })
      }
      vectors.checkUnchanged()
      const missing = report.all()
      return { lines: lines?.take(), rankings, queries: list.length, reranked, folded, missing }

      function names(rows: Uint32Array): string[] {
        return Array.from(rows, (number) => documents.get(number))
      }
    },
  }
}

/** Returns the numbers at the given positions of a list. */
function pick(list: ArrayLike<number>, places: Uint32Array): Uint32Array {
  const picked = new Uint32Array(places.length)
  for (let i = 0; i < places.length; i++) picked[i] = list[places[i]!]!
  return picked
}

/** Returns some positions of a ranking, ascending, followed by all others in their order. */
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

/** A query's new order: positions in the old ranking, decreasing scores, and further columns. */
export interface NewOrder {
  places: Uint32Array
  scores: Float32Array
  columns: Partial<Record<keyof RunColumns, Float32Array>>
  /** Number of candidates that were folded into others. */
  folded?: number
}

/**
 * Returns the order of all candidates of a query from the ranking of its preselected ones.
 *
 * @param joined Has the positions in the old ranking: preselected candidates first.
 */
export function newOrder(joined: Pick<JoinedQuery, 'places'>, ranking: Ranking): NewOrder {
  const { length } = joined.places
  return placed(joined, ranking.order.length === length ? ranking : extendRanking(ranking, length))
}

function placed({ places }: Pick<JoinedQuery, 'places'>, ranking: Ranking): NewOrder {
  const { order, scores, similarities } = ranking
  const similarity = similarities ?? new Float32Array(order.length).fill(Number.NaN)
  return {
    places: pick(places, order),
    scores: strictlyFalling(scores),
    columns: { similarity },
  }
}

/** Returns the columns of a query that keeps its old ranking: the same columns without values. */
export function emptyColumns(list: ListOptions | undefined): RunColumns {
  return list?.background ? { similarity: [], relevance: [] } : { similarity: [] }
}

/**
 * Reorders the first documents of a ranking; all others follow. Scores stay at their ranks.
 *
 * @param first The positions of the first documents, best first.
 */
export function reorderFirst(
  { query, ids, scores, columns }: RankedQuery,
  first: readonly number[],
): RankedQuery {
  const behind = <T>(list: ArrayLike<T>): T[] => [
    ...first.map((place) => list[place]!),
    ...Array.from(list).slice(first.length),
  ]
  const entries = Object.entries(columns ?? {}).map(([name, list]) => [name, behind(list)])
  return {
    query,
    ids: behind(ids),
    scores: strictlyFalling(Float32Array.from(scores)),
    columns: Object.fromEntries(entries) as RunColumns,
  }
}

const float = new Float32Array(1)
const bits = new Int32Array(float.buffer)

/** Makes scores strictly decreasing, since other tools reorder equal scores by document id. */
function strictlyFalling(scores: Float32Array): Float32Array {
  for (let i = 1; i < scores.length; i++) {
    if (scores[i]! < scores[i - 1]!) continue
    float[0] = scores[i - 1]!
    // The next lower float: towards zero for a positive number, away from zero for a negative one.
    if (float[0] === 0) float[0] = -1e-45
    else bits[0]! += float[0]! > 0 ? -1 : 1
    scores[i] = float[0]!
  }
  return scores
}
