import type { MatchedTerm, Reranker, ScoreParts } from '@kith/core'
import { wholeText } from '@kith/stores/internal'
import { rankContext } from '../rerank/rerank-slice.ts'
import type { FoundCandidates } from './find-candidates.ts'

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
  const texts = list.map(wholeText).filter((text) => text !== undefined)
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
