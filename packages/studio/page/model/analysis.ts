import { type Explanation, Reranker, type ScoreParts } from '@kith/core'
import { ndcg } from '@kith/ir/measures'
import { mixOf, type PageSettings } from './page-settings.ts'
import type { QueryContext } from './query-context.ts'

/** What reranking did to a query's candidates. Documents are places in the run's order. */
export interface Analysis {
  /** Documents in their new order; those of the context come first. */
  order: Uint32Array
  /** The place of each document in the new order. */
  places: Uint32Array
  /** How many documents the context has. */
  size: number
  /** The score of each document. */
  scores: Float32Array
  /** The summands of each score, by document; only documents of the context have any. */
  parts: Map<number, ScoreParts>
  /** Which of the summands take part in this ranking. */
  shown: readonly PartName[]
  /** nDCG@10; undefined where nothing relevant is known. */
  measure: { before: number; after: number } | undefined
}

/** A summand of a score. */
export type PartName = keyof ScoreParts

const method = new Reranker()

/** How deep the page measures. */
export const CUTOFF = 10

/** Reranks a query's candidates, and takes the scores apart. */
export function analyze(context: QueryContext, page: PageSettings): Analysis {
  const { documents, retrieved, ideal, truth } = context.source
  const { query, candidates, settings } = context.ranking(page)
  const { ranking, context: members, parts } = method.takeApart(query, candidates, settings)
  const { order } = ranking
  const places = new Uint32Array(retrieved)
  const scores = new Float32Array(retrieved)
  order.forEach((document, place) => {
    places[document] = place
    scores[document] = ranking.scores[place]!
  })
  const mix = mixOf(page, context)
  const own = mix === 'raw' ? rawParts(context, page, scores, members) : parts
  const ndcgOf = (ranked: Uint32Array): number => {
    const first = Array.from(ranked.subarray(0, CUTOFF))
    return ndcg(
      first.map((document) => documents[document]!.grade ?? -1),
      ideal,
      CUTOFF,
    )
  }
  return {
    order,
    places,
    size: members.length,
    scores,
    parts: new Map(own.map((part, i) => [members[i]!, part])),
    shown:
      mix === 'words'
        ? ['similarity', 'words', 'neighbors', 'support', 'window', 'title']
        : ['similarity', 'neighbors'],
    measure:
      truth.length === 0 && ideal.length === 0
        ? undefined
        : { before: ndcgOf(Uint32Array.from(order.keys())), after: ndcgOf(order) },
  }
}

/** λ·S and (1 − λ)·s_J: without a common scale, but they add up. */
function rawParts(
  context: QueryContext,
  page: PageSettings,
  scores: Float32Array,
  members: Uint32Array,
): ScoreParts[] {
  const { query, settings, tokenizer } = context.ranking(page)
  const inContext = context.of(members, tokenizer)
  const [similar] = method.similarity(query, inContext, ['query'], settings)
  return Array.from(similar!.jaccard.toCandidates, (jaccard, i) => {
    const neighbors = (1 - page.lambda) * jaccard
    const similarity = scores[members[i]!]! - neighbors
    return { similarity, words: 0, neighbors, support: 0, window: 0, title: 0 }
  })
}

/** Why a document stands where it stands. */
export function explain(context: QueryContext, page: PageSettings, document: number): Explanation {
  const { query, candidates, settings, tokenizer } = context.ranking(page)
  // The terms of a prepared text have no names.
  const asked = tokenizer ? { ...query, text: context.source.query.text! } : query
  return method.explain(asked, candidates, document, settings)
}
