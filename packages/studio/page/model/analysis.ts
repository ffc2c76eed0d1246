import { type Explanation, Reranker, type ScoreParts, shortlist } from '@kith/core'
import { ndcg } from '@kith/ir/measures'
import { wordsOf } from '../../src/studio-wire.ts'
import { mixOf, type PageSettings } from './page-settings.ts'
import type { QueryContext } from './query-context.ts'

/** The effect of reranking on a query's candidates. Documents are places in the run's order. */
export interface Analysis {
  /** Documents in their new order; documents of the context come first. */
  order: Uint32Array
  /** The place of each document in the new order. */
  places: Uint32Array
  /** How many documents the context has. */
  size: number
  /** The score of each document. */
  scores: Float32Array
  /** The summands of each score, by document; only documents of the context have any. */
  parts: Map<number, ScoreParts>
  /** The summands that take part in this ranking. */
  shown: readonly PartName[]
  /** nDCG@10; undefined if nothing relevant is known. */
  measure: { before: number; after: number } | undefined
  /** How relevant hits are, estimated; undefined without a background, and in a mix without words. */
  estimate: Estimate | undefined
}

/** The estimates of a query and its hits. */
export interface Estimate {
  /** The probability that the corpus has something about the query. */
  onTopic: number
  /** How many of the first hits give the best expected F1. */
  kept: number
  /** The probability of each of the first hits that it is relevant, by place. */
  relevance: number[]
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
    estimate: mix === 'words' ? estimateOf(context, page) : undefined,
  }
}

/** The estimates of `shortlist`, in the order of the ranking. */
function estimateOf(context: QueryContext, page: PageSettings): Estimate | undefined {
  const { background } = context
  if (!background || context.source.retrieved === 0) return undefined
  const { query, candidates, settings } = context.ranking(page)
  const list = shortlist(query, candidates, { ...settings, background, cutoff: 'auto' })
  if (list.onTopic === undefined) return undefined
  const { hits, below, onTopic } = list
  const relevance = [...hits, ...below].flatMap((hit) => hit.relevance ?? [])
  return { onTopic, kept: hits.length, relevance }
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
    return { similarity, words: 0, neighbors, support: 0, window: 0, title: 0, prior: 0 }
  })
}

/** Why a document has its rank. */
export function explain(context: QueryContext, page: PageSettings, document: number): Explanation {
  const { query, candidates, settings, tokenizer } = context.ranking(page)
  if (!tokenizer) return method.explain(query, candidates, document, settings)
  // The terms of a prepared text have no names, and no places in the text.
  const { source } = context
  const asked = { ...query, text: source.query.text! }
  const texts = candidates.texts!.with(document, wordsOf(source.documents[document]!))
  return method.explain(asked, { ...candidates, texts }, document, settings)
}
