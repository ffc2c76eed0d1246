import {
  KithError,
  type ListedHit,
  type ListOptions,
  type MethodSettings,
  type Settings,
  type Shortlist,
  shortlist,
  type TitledText,
  type Vector,
} from '@kith/core'
import { compareProducts, planVectors, takesWords } from '@kith/core/internal'
import { completeVectors, type Embed, type RerankDocument } from './documents.ts'

/** The documents to rank, in any order. */
interface DocumentsToRank {
  query: RerankDocument
  documents: readonly RerankDocument[]
  /** A store's scores of the documents; higher is better. */
  scores: readonly number[] | undefined
}

/** How to rank documents, and how to embed documents without a vector. */
interface RankOptions {
  embed: Embed | undefined
  signal: AbortSignal | undefined
  settings: MethodSettings
  list: RelevanceOptions
}

/** Options that choose documents and estimate their relevance. */
export type RelevanceOptions = Pick<
  ListOptions,
  'background' | 'calibration' | 'cutoff' | 'onTopic' | 'collapse'
>

/** Ranked documents by their index, best first. */
export interface RankedDocuments extends Pick<Shortlist, 'onTopic' | 'metric'> {
  hits: Pick<ListedHit, 'index' | 'score' | 'similarity' | 'relevance'>[]
}

/**
 * Ranks all documents. With scores, only the documents that texts and scores choose are embedded,
 * otherwise all. Without an embed function, documents without an embedding are ranked by their
 * texts.
 */
export async function rankDocuments(
  given: DocumentsToRank,
  options: RankOptions,
): Promise<RankedDocuments> {
  const { documents, scores } = given
  if (documents.every(({ vector }) => vector)) return rankNearest(given, options)
  if (!options.embed && wordsCanDo(given, options.settings)) return rankSome(given, options)
  return scores ? rankChosen({ ...given, scores }, options) : rankNearest(given, options)
}

/**
 * Returns whether texts can replace missing embeddings: the query and some documents need an
 * embedding.
 */
function wordsCanDo({ query, documents }: DocumentsToRank, settings: MethodSettings): boolean {
  if (!query.vector || !documents.some(({ vector }) => vector)) return false
  return takesWords(settings.method) && wordsOf(documents, [], settings) !== undefined
}

function rankSome(
  { query, documents, scores }: DocumentsToRank,
  { settings, list }: RankOptions,
): RankedDocuments {
  const places = bestFirst(documents, scores)
  const candidates = {
    vectors: places.map((place) => documents[place]!.vector),
    texts: wordsOf(documents, places, settings),
    scores: scores && places.map((place) => scores[place]!),
  }
  const asked = { vector: query.vector, text: query.text }
  return ofPlaces(shortlist(asked, candidates, { ...settings, ...list }), places)
}

async function rankChosen(
  { query, documents, scores }: DocumentsToRank & { scores: readonly number[] },
  options: RankOptions,
): Promise<RankedDocuments> {
  const places = bestFirst(documents, scores)
  const candidates = {
    count: documents.length,
    texts: wordsOf(documents, places, options.settings),
    scores: places.map((place) => scores[place]!),
  }
  const plan = planVectors(query.text, candidates, options.settings)
  const chosen = plan.chosen.map((index) => places[index]!)
  const { vector, vectors } = await vectorsOf(query, documents, chosen, options)
  return ofPlaces(plan.list(vector, vectors, options.list), places)
}

async function rankNearest(
  { query, documents }: DocumentsToRank,
  options: RankOptions,
): Promise<RankedDocuments> {
  const { settings, list } = options
  const all = [...documents.keys()]
  const { vector, vectors } = await vectorsOf(query, documents, all, options)
  const places = nearestFirst(vector, vectors, settings.metric)
  const candidates = {
    vectors: places.map((place) => vectors[place]!),
    texts: wordsOf(documents, places, settings),
  }
  const asked = { vector, text: query.text }
  return ofPlaces(shortlist(asked, candidates, { ...settings, ...list }), places)
}

/** Returns the indices of the documents by descending score; in the given order without scores. */
function bestFirst(
  documents: readonly RerankDocument[],
  scores: readonly number[] | undefined,
): number[] {
  const places = [...documents.keys()]
  return scores ? places.sort((a, b) => scores[b]! - scores[a]! || a - b) : places
}

/** Returns the vectors of the query and of some documents. */
async function vectorsOf(
  query: RerankDocument,
  documents: readonly RerankDocument[],
  places: readonly number[],
  { embed, signal }: RankOptions,
): Promise<{ vector: Vector; vectors: Vector[] }> {
  const some = places.map((place) => documents[place]!)
  const [[vector], vectors] = await Promise.all([
    completeVectors(embed, [query], { role: 'query', signal }, () => 'the query'),
    completeVectors(embed, some, { role: 'document', signal }, (i) => `document ${places[i]}`),
  ])
  signal?.throwIfAborted()
  return { vector: vector!, vectors }
}

/**
 * Returns the texts if they count: the paper's raw mix has one view, and objects of numbers have no
 * text.
 */
function wordsOf(
  documents: readonly RerankDocument[],
  places: readonly number[],
  { mix, method }: MethodSettings,
): (string | TitledText)[] | undefined {
  const counts = mix !== 'raw' || method === 'fusion'
  if (!counts || documents.every(({ text, title = '' }) => text + title === '')) return undefined
  return places.map((place) => {
    const { text, title } = documents[place]!
    return title === undefined ? text : { title, text }
  })
}

function ofPlaces(
  { hits, onTopic, metric }: RankedDocuments,
  places: readonly number[],
): RankedDocuments {
  return {
    hits: hits.map((hit) => ({ ...hit, index: places[hit.index]! })),
    onTopic,
    metric,
  }
}

/**
 * Returns the indices of the documents, most similar to the query first. The documents of
 * `rerank()` may come in any order, and the method starts from an order by similarity.
 */
function nearestFirst(
  query: Vector,
  documents: readonly Vector[],
  metric: Settings['metric'],
): number[] {
  const products = documents.map((vector, place) => {
    if (vector.length !== query.length) {
      const problem = `document ${place} has ${vector.length} dimensions, but the query has ${query.length}`
      throw new KithError('BAD_SHAPE', problem)
    }
    const found = { toQuery: dot(query, vector), square: dot(vector, vector) }
    if (Number.isFinite(found.toQuery) && Number.isFinite(found.square)) return found
    const problem = `the embedding of the query or of document ${place} contains a number that is not finite`
    throw new KithError('BAD_VECTOR', problem)
  })
  const own = dot(query, query)
  const { name } = compareProducts(metric, {
    toQuery: Float64Array.of(own, ...products.map(({ toQuery }) => toQuery)),
    squares: Float64Array.of(own, ...products.map(({ square }) => square)),
  })
  // The query's own length is the same for all documents.
  const scores = products.map(({ toQuery, square }) =>
    name === 'dot' ? toQuery : toQuery / (Math.sqrt(square) || 1),
  )
  return [...documents.keys()].sort((a, b) => scores[b]! - scores[a]! || a - b)
}

function dot(a: Vector, b: Vector): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}
