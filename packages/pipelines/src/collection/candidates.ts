import {
  type ListOptions,
  type MatchedTerm,
  type Matrix,
  type Reranker,
  type ScoreParts,
  type Settings,
  shortlist,
} from '@kith/core'
import { type Metric, searchExact } from '@kith/stores'
import type { SearchStore } from '@kith/stores/internal'

/** A document found by a search. */
interface Candidate {
  id: string
  vector: Float32Array
  title?: string | undefined
  text?: string | undefined
  metadata?: unknown
}

/** How many documents to find by vectors, and how many by words. */
interface SearchDepths {
  similar: number
  words: number
  metric: Metric
  /** A function that accepts or rejects a document. */
  filter?: ((candidate: Omit<Candidate, 'vector'>) => boolean) | undefined
  /**
   * The documents of passages, by the passages' ids, and the minimum number of documents to find.
   */
  cut?: { documents: ReadonlyMap<string, Omit<Candidate, 'vector'>>; atLeast: number } | undefined
}

/** Returns the metric for finding candidates: the metric in the settings, else the store's own. */
export function searchMetric(
  { metric }: Pick<SearchStore, 'metric'>,
  settings: Pick<Settings, 'metric'>,
): Metric {
  return settings.metric === 'auto' ? (metric ?? 'dot') : settings.metric
}

/** The background and the calibration for estimating relevance. */
export type RelevanceScale = Pick<ListOptions, 'background' | 'calibration'>

/** A query's candidates, the most similar first. */
interface FoundCandidates {
  list: readonly Candidate[]
  /**
   * Whether some candidates were found by words; they can be less similar than any other document.
   */
  byWords: boolean
}

/**
 * Finds the documents most similar to a query, and the documents that match its words best if the
 * store can search words. All have vectors: the vectors of documents found by words are fetched.
 * Passages get the ids of their documents.
 */
export async function findCandidates(
  store: SearchStore,
  query: Matrix,
  text: string,
  { filter = () => true, cut, ...depths }: SearchDepths,
): Promise<FoundCandidates> {
  const fits = ({ vector: _, ...document }: Candidate): boolean =>
    filter(cut?.documents.get(document.id) ?? document)
  const documentsOf = (passages: readonly Candidate[]): number =>
    new Set(passages.map(({ id }) => cut?.documents.get(id))).size
  for (let factor = 1; ; factor *= 4) {
    const { similar, words, metric } = depths
    const deeper = { similar: similar * factor, words: words * factor, metric }
    const { list, byWords } = await findAll(store, query, text, deeper)
    const fitting = list.filter(fits)
    // A result with fewer documents than requested contains all documents.
    const enough = fitting.length >= similar && (!cut || documentsOf(fitting) >= cut.atLeast)
    if (!enough && list.length >= deeper.similar) continue
    if (!cut) return { list: fitting.slice(0, similar + words), byWords }
    // All passages: a later passage may be the only one of its document.
    const named = fitting.map((one) => ({ ...one, id: cut.documents.get(one.id)!.id }))
    return { list: named, byWords }
  }
}

async function findAll(
  store: SearchStore,
  query: Matrix,
  text: string,
  { similar, words, metric }: Omit<SearchDepths, 'filter' | 'cut'>,
): Promise<FoundCandidates> {
  // An empty store has no dimensions and cannot be searched.
  if (store.dimensions === undefined) return { list: [], byWords: false }
  const [[near], fitting] = await Promise.all([
    store.search(query, { top: similar, metric, vectors: true }),
    store.searchWords?.(text, { top: words }),
  ])
  const known = new Set(near!.ids)
  const more = [...new Set(fitting)].filter((id) => !known.has(id))
  const [texts, others] = await Promise.all([
    store.fetch(near!.ids, { vectors: false, texts: true }),
    more.length > 0 ? store.fetch(more, { vectors: true, texts: true }) : [],
  ])
  const { dimensions } = query
  const list: Candidate[] = near!.ids.map((id, i) => {
    const vector = near!.vectors.subarray(i * dimensions, (i + 1) * dimensions)
    return { ...texts[i], id, vector }
  })
  if (more.length === 0) return { list, byWords: false }
  // A document that was deleted after the search found it is left out.
  others.forEach((document, i) => {
    if (document) list.push({ ...document, id: more[i]! })
  })
  return { list: await bySimilarity(query, list, metric), byWords: true }
}

async function bySimilarity(
  query: Matrix,
  candidates: readonly Candidate[],
  metric: Metric,
): Promise<Candidate[]> {
  const { dimensions } = query
  const memory = new Float32Array(candidates.length * dimensions)
  candidates.forEach(({ vector }, i) => {
    memory.set(vector, i * dimensions)
  })
  const documents = { memory, rows: candidates.length, dimensions }
  const { rows } = await searchExact(query, documents, { top: documents.rows, metric, workers: 0 })
  return Array.from(rows, (row) => candidates[row]!)
}

/** The explanation of a document's rank. */
export interface Reasons {
  /** The parts of the score, which sum to it; all 0 outside the context, the first 50 results. */
  parts: ScoreParts
  /** The query's terms in the document's text, highest weight first; empty outside the context. */
  matched: MatchedTerm[]
  /** The document's rank by the similarity of embeddings alone, from 1. */
  rankBefore: number
}

/** A document found by a search. */
export interface Found {
  id: string
  /**
   * How far the document scores above the mean of the candidates; compare only within one search.
   */
  score: number
  /** The inner product or cosine of the document with the query. */
  similarity: number | undefined
  /**
   * The estimated probability that the document is relevant, for the first 20; undefined without
   * texts or a background.
   */
  relevance: number | undefined
  title?: string | undefined
  /** The text; undefined if the collection has no texts. */
  text?: string | undefined
  /** The metadata of a document in memory. */
  metadata?: unknown
  /**
   * The explanation of the rank; computed at the first access, which takes about as long as
   * reranking.
   */
  readonly reasons: Reasons
}

/** Reranks candidates by embeddings, words and neighbors; without words if a text is missing. */
export function rankCandidates(
  reranker: Reranker,
  ranking: Settings,
  query: { vector: Float32Array; text: string },
  { list, byWords }: FoundCandidates,
  options: ListOptions = {},
): Found[] {
  if (list.length === 0) return []
  const vectors = list.map(({ vector }) => vector)
  const texts = list.flatMap(({ title, text }) => (text === undefined ? [] : [{ title, text }]))
  const complete = texts.length === list.length
  const { vector } = query
  const words = complete ? { text: query.text, texts } : {}
  // Documents found by words may be the least similar, so the context is chosen from all
  // candidates.
  const settings = byWords && complete ? { preselect: list.length } : {}
  const { hits } = shortlist(
    { vector, text: words.text },
    { vectors, texts: words.texts },
    { ...ranking, ...settings, ...options },
  )
  return hits.map(({ index, score, similarity, relevance }) => {
    const { id, title, text, metadata } = list[index]!
    let reasons: Reasons | undefined
    return {
      id,
      score,
      similarity,
      relevance,
      title,
      text,
      ...(metadata === undefined ? {} : { metadata }),
      get reasons() {
        if (!reasons) {
          const { parts, matched, rankBefore } = reranker.explain(
            { vector, text: words.text },
            { vectors, texts: words.texts },
            index,
            settings,
          )
          reasons = { parts, matched, rankBefore }
        }
        return reasons
      },
    }
  })
}
