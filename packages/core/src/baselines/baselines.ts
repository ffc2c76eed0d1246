import {
  type Candidates,
  contextOf,
  type Query,
  requireVectors,
  toQueryViews,
  toViews,
} from '../context.ts'
import { KithError } from '../error.ts'
import type { Matrix } from '../matrix.ts'
import { buildGraph } from '../method/graph.ts'
import { chooseMetric } from '../method/metric.ts'
import { orderByScore, type Ranking, rankingOfAll } from '../method/order-by-score.ts'
import { rankQuery } from '../method/rank-context.ts'
import { similarities } from '../method/similarities.ts'
import { cosineOf, products } from '../method/similarity-steps.ts'
import { defaultSettings } from '../settings/settings.ts'
import { noPostings } from '../text/postings.ts'
import type { Workspace } from '../workspace.ts'
import type { Method, MethodSettings } from './method-settings.ts'

/** A simpler method for comparison with Kith's. */
interface Baseline {
  /** Whether it ranks candidates without a vector by their words, and chooses its context by them. */
  takesWords: boolean
  rank(memory: Workspace, query: Query, candidates: Candidates, settings: MethodSettings): Ranking
}

/** Refuses a method without the texts that it needs. */
export function requireTexts(method: Method, texts: boolean): void {
  if (method === 'fusion' && !texts) throw fusionNeedsTexts()
}

const fusionNeedsTexts = (): KithError =>
  new KithError('BAD_SETTING', 'the method fusion needs texts; pass texts')

/** Similarity and words without neighbors: the query's own two terms are all there is. */
const scoreFusion: Baseline['rank'] = (memory, query, candidates, settings) => {
  if (!toViews(candidates).texts) throw fusionNeedsTexts()
  const alone = { lambda: 1, neighborWeight: 0, supportWeight: 0, windowWeight: 0, titleWeight: 0 }
  const mix = settings.mix === 'raw' ? 'standard' : settings.mix
  return rankQuery(memory, query, candidates, { ...settings, ...alone, mix }).ranking
}

/** Pseudo-relevance feedback: the similarity to the query's vector, moved towards its first candidates. */
const rocchio: Baseline['rank'] = (memory, query, candidates, settings) => {
  const { vectors, views } = toViews(candidates)
  const limit = settings.contextSize
  const context = contextOf(query, { vectors, views }, limit, noPostings, { tokenizer: 'none' })
  const rows = context.views.get('vectors')!
  const { count, dimensions } = rows
  const data = new Float32Array(count * dimensions)
  rows.copyTo(data, 0, dimensions)
  const matrix = { data, rows: count, dimensions }
  const compared = products(matrix)
  const metric = chooseMetric(settings.metric, compared)
  const among = { data: data.subarray(dimensions), rows: count - 1, dimensions }
  const moved = contextOf(feedbackVector(matrix, settings), among, Infinity, noPostings, {
    tokenizer: 'none',
  })
  const plain = { mix: 'raw', rowScaling: 'none' } as const
  const own = { ...defaultSettings, ...plain, metric: metric.name }
  const { terms } = buildGraph(memory.engine(settings.kernel), moved, [0], own)
  const scores = Float64Array.from(terms[0]!.values)
  const toQuery = compared.toQuery.map((product, i) =>
    metric.name === 'dot' ? product : cosineOf(compared, i),
  )
  return rankingOfAll(orderByScore(scores, metric, toQuery), undefined, context.candidates)
}

/** The query's vector in row 0 moved towards the mean of the first rows below, which are taken for relevant. */
function feedbackVector(
  { data, rows, dimensions }: Matrix,
  { feedbackDocs, feedbackWeight }: MethodSettings,
): Float32Array {
  const count = Math.min(feedbackDocs, rows - 1)
  const share = count > 0 ? feedbackWeight : 0
  const moved = new Float32Array(dimensions)
  for (let j = 0; j < dimensions; j++) {
    let sum = 0
    for (let i = 1; i <= count; i++) sum += data[i * dimensions + j]!
    moved[j] = (1 - share) * data[j]! + (count > 0 ? (share * sum) / count : 0)
  }
  return moved
}

/** Reciprocal ranks by geometric and by Jaccard similarity, added. Further views of vectors take no part. */
const rankFusion: Baseline['rank'] = (memory, query, candidates, settings) => {
  const { vector, text } = toQueryViews(query)
  const { vectors, texts } = toViews(candidates)
  const { contextSize: limit, kernel, neighborRrfK } = settings
  const context = contextOf({ vector, text }, { vectors, texts }, limit, memory.postings, settings)
  requireVectors(context, 'method neighbor-rrf')
  const mix = settings.mix === 'raw' ? 'raw' : 'standard'
  const found = similarities(memory.engine(kernel), context, [0], { ...settings, mix })
  const scores = new Float64Array(context.rows)
  for (const by of [found.geometric[0]!, found.jaccard[0]!]) {
    // Row 0, the query's own, has no rank.
    Array.from({ length: scores.length - 1 }, (_, i) => i + 1)
      .sort((a, b) => by[b]! - by[a]! || a - b)
      .forEach((row, i) => {
        scores[row]! += 1 / (neighborRrfK + i + 1)
      })
  }
  const ranking = orderByScore(scores, found.metric, found.toQuery)
  return rankingOfAll(ranking, undefined, context.candidates)
}

/** Every method but ours, by its name in `method-settings.ts`. */
export const baselines: Readonly<Record<Exclude<Method, 'neighbors'>, Baseline>> = {
  fusion: { takesWords: true, rank: scoreFusion },
  rocchio: { takesWords: false, rank: rocchio },
  'neighbor-rrf': { takesWords: false, rank: rankFusion },
}
