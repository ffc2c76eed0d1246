import type { MatchedTerm, Matrix, Reranker, ScoreParts, Settings } from '@kith/core'
import { type Metric, searchExact } from '@kith/stores'
import type { SearchStore } from '@kith/stores/internal'
import { rankContext } from '../rerank/rerank-slice.ts'

/** A document that a search found. */
interface Candidate {
  id: string
  vector: Float32Array
  title?: string | undefined
  text?: string | undefined
}

/** How many documents are found by their vectors, and how many by their words. */
interface SearchDepths {
  similar: number
  words: number
  metric: Metric
}

/** The metric that candidates are found by: the one that is set, else the store's own. */
export function searchMetric(
  { metric }: Pick<SearchStore, 'metric'>,
  settings: Pick<Settings, 'metric'>,
): Metric {
  return settings.metric === 'auto' ? (metric ?? 'dot') : settings.metric
}

/** A query's candidates, the most similar first. */
interface FoundCandidates {
  list: readonly Candidate[]
  /** Whether some were found by their words, which can be less similar than any number of others. */
  byWords: boolean
}

/**
 * The documents most similar to a query, together with those whose words fit its text best where
 * the store can tell. All of them have their vectors: those found by words are fetched.
 */
export async function findCandidates(
  store: SearchStore,
  query: Matrix,
  text: string,
  { similar, words, metric }: SearchDepths,
): Promise<FoundCandidates> {
  // An empty store knows no dimensions, and cannot be searched.
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
  // One that is gone since it was found is left out.
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

/** Why a document stands where it stands. */
export interface Reasons {
  /** The parts of its score, which sum to it; all 0 outside the context, the first 50 results. */
  parts: ScoreParts
  /** The query's terms that its text has, the heaviest first; none outside the context. */
  matched: MatchedTerm[]
  /** Its place by the similarity of embeddings alone, from 1. */
  rankBefore: number
}

/** A document that a search found. */
export interface Found {
  id: string
  /** How far it stands above the average of the candidates; for comparing results of one search. */
  score: number
  title?: string | undefined
  /** Undefined where the collection has no texts. */
  text?: string | undefined
  /** Computed when it is first asked for, which takes about as long as the ranking. */
  readonly reasons: Reasons
}

/** Ranks candidates by embeddings, words and neighbors; without the words where a text is missing. */
export function rankCandidates(
  reranker: Reranker,
  query: { vector: Float32Array; text: string },
  { list, byWords }: FoundCandidates,
): Found[] {
  if (list.length === 0) return []
  const vectors = list.map(({ vector }) => vector)
  const texts = list.flatMap(({ title, text }) => (text === undefined ? [] : [{ title, text }]))
  const complete = texts.length === list.length
  const { vector } = query
  const words = complete ? { text: query.text, texts } : {}
  // Those found by words may be the last by similarity: the context is chosen from all.
  const settings = byWords && complete ? { preselect: list.length } : {}
  const { order, scores } = rankContext(reranker, words, { vector, vectors }, settings)
  return Array.from(order, (index, place) => {
    const { id, title, text } = list[index]!
    let reasons: Reasons | undefined
    return {
      id,
      score: scores[place]!,
      title,
      text,
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
