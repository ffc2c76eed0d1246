import {
  type Candidates,
  contextOf,
  type Query,
  requireVectors,
  toQueryViews,
  toViews,
} from '../context.ts'
import { KithError } from '../error.ts'
import type { Engine } from '../kernel/engine.ts'
import type { Matrix } from '../matrix.ts'
import { buildGraph } from '../method/graph.ts'
import { chooseMetric } from '../method/metric.ts'
import { products } from '../method/products.ts'
import { rankQuery } from '../method/rank-query.ts'
import { type Ranking, rankCandidates } from '../method/ranking.ts'
import { similarities } from '../method/similarities.ts'
import { presets } from '../settings/presets.ts'
import { noPostings } from '../text/postings.ts'
import type { Workspace } from '../workspace.ts'
import { feedbackVector } from './feedback.ts'
import type { MethodSettings } from './method-settings.ts'
import { reciprocalRankFusion } from './rrf.ts'

/** Orders a query's candidates anew by any method, ours or a simpler one to compare it with. */
export function rankByMethod(
  memory: Workspace,
  query: Query,
  candidates: Candidates,
  all: MethodSettings,
): Ranking {
  switch (all.method) {
    case 'neighbors':
      return rankQuery(memory, query, candidates, all).ranking
    case 'fusion': {
      checkTexts(candidates)
      // Without neighbors: the similarity to the query and the words are all there is.
      const alone = { lambda: 1, neighborWeight: 0, supportWeight: 0 }
      const mix = all.mix === 'raw' ? 'standard' : all.mix
      return rankQuery(memory, query, candidates, { ...all, ...alone, mix }).ranking
    }
    case 'neighbor-rrf': {
      // The further views of vectors do not take part.
      const { vector, text } = toQueryViews(query)
      const { vectors, texts } = toViews(candidates)
      const found = { vectors, texts }
      const limit = all.contextSize
      const context = contextOf({ vector, text }, found, limit, memory.postings, all.tokenizer)
      requireVectors(context, 'method neighbor-rrf')
      const mix = all.mix === 'raw' ? 'raw' : 'standard'
      const engine = memory.engine(all.kernel)
      const { geometric, jaccard, metric } = similarities(engine, context, [0], { ...all, mix })
      const scores = reciprocalRankFusion([geometric[0]!, jaccard[0]!], all.neighborRrfK)
      return rankCandidates(scores, context.candidates, metric)
    }
    case 'rocchio': {
      const { total, matrix } = matrixOf(query, candidates, all.contextSize)
      const compared = products(matrix)
      const metric = chooseMetric(all.metric, compared, () => compared)
      const moved = feedbackVector(matrix, all)
      const scores = similaritiesTo(memory.engine(all.kernel), moved, matrix, metric.name)
      return rankCandidates(scores, total, metric)
    }
  }
}

/** The similarities of a vector to all rows of a context, as they are. */
function similaritiesTo(
  engine: Engine,
  query: Float32Array,
  { data, rows, dimensions }: Matrix,
  metric: MethodSettings['metric'],
): Float64Array {
  const vectors = { data: data.subarray(dimensions), rows: rows - 1, dimensions }
  const context = contextOf(query, vectors, Infinity, noPostings, 'none')
  const plain = { mix: 'raw', rowScaling: 'none', k: 1, kExp: 1, trust: 0 } as const
  const [term] = buildGraph(engine, context, [0], { ...presets.balanced, ...plain, metric })
  return Float64Array.from(term!.values)
}

/**
 * The vectors of a query, in row 0, and of the first `limit` of its candidates, and how many
 * candidates there are in all.
 */
function matrixOf(
  query: Query,
  candidates: Candidates,
  limit: number,
): { matrix: Matrix; total: number } {
  const { vectors: own, views: more } = toViews(candidates)
  const context = contextOf(query, { vectors: own, views: more }, limit, noPostings, 'none')
  const vectors = context.views.get('vectors')!
  const { count: rows, dimensions } = vectors
  const data = new Float32Array(rows * dimensions)
  vectors.copyTo(data, dimensions)
  return { matrix: { data, rows, dimensions }, total: context.candidates }
}

function checkTexts(candidates: Candidates): void {
  if (toViews(candidates).texts !== undefined) return
  throw new KithError(
    'BAD_INPUT',
    'method fusion adds the scores of embeddings and words: give texts',
  )
}
