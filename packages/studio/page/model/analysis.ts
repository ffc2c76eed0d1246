import { Reranker } from '@kith/core'
import { ndcg } from '@kith/ir/measures'
import { methodSettings, type PageSettings, usesWords } from './page-settings.ts'
import type { QueryContext } from './query-context.ts'

/** What reranking did to a query's candidates. Documents are places in the run's order. */
export interface Analysis {
  /** Documents in their new order. */
  order: Uint32Array
  /** The place of each document in the new order. */
  places: Uint32Array
  /** s* of each document of the context. */
  scores: Float32Array
  /** The two summands of s*. */
  geometric: Float32Array
  jaccard: Float32Array
  /** nDCG@10; undefined where nothing relevant is known. */
  measure: { before: number; after: number } | undefined
}

const method = new Reranker()

/** How deep the page measures. */
export const CUTOFF = 10

/** Jaccards that differ by less are equal but for rounding: so has the standard mix. */
const ROUNDING = 1e-6

/** Reranks a query's candidates, and takes the scores apart. */
export function analyse(context: QueryContext, page: PageSettings): Analysis {
  const { documents, retrieved, ideal, truth } = context.source
  const words = usesWords(page, documents[0]?.text !== undefined)
  const settings = methodSettings(page, words)
  const { order, scores: sorted } = method.rerank(
    context.query(words),
    context.candidates(words),
    settings,
  )
  const count = Math.min(page.contextSize, retrieved)
  const places = new Uint32Array(retrieved)
  const scores = new Float32Array(retrieved)
  order.forEach((document, place) => {
    places[document] = place
    scores[document] = sorted[place]!
  })
  const inContext = context.first(count, words)
  const [similar] = method.similarity(context.query(words), inContext, ['query'], settings)
  const own = similar!.jaccard.toCandidates
  const term = page.mix === 'raw' ? own : standardised(own)
  const jaccard = term.map((value) => (1 - page.lambda) * value)
  const ndcgOf = (ranking: Uint32Array): number => {
    const first = Array.from(ranking.subarray(0, CUTOFF))
    return ndcg(
      first.map((document) => documents[document]!.grade ?? -1),
      ideal,
      CUTOFF,
    )
  }
  return {
    order,
    places,
    scores: scores.subarray(0, count),
    // What is not the neighbours' part is the geometric one, so that the two add up exactly.
    geometric: jaccard.map((part, document) => scores[document]! - part),
    jaccard,
    measure:
      truth.length === 0 && ideal.length === 0
        ? undefined
        : { before: ndcgOf(Uint32Array.from(order.keys())), after: ndcgOf(order) },
  }
}

/** docs/method.md section 4: mean 0, population deviation 1; what is constant becomes 0. */
function standardised(values: Float32Array): Float32Array {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length
  const spread = Math.max(...values) - Math.min(...values)
  if (!(spread > ROUNDING)) return new Float32Array(values.length)
  return values.map((value) => (value - mean) / Math.sqrt(variance))
}
