import {
  type Candidates,
  contextOf,
  type Query,
  type RankingContext,
  toQueryViews,
  toViews,
} from '../context.ts'
import { KithError } from '../error.ts'
import type { Matrix } from '../matrix.ts'
import { standardise } from '../method/mix.ts'
import { type Ranking, rankCandidates } from '../method/ranking.ts'
import { Reranker } from '../reranker.ts'
import { noPostings } from '../text/postings.ts'
import { feedbackVector } from './feedback.ts'
import {
  type MethodSettings,
  type PartialMethodSettings,
  resolveMethodSettings,
  similaritySettings,
} from './method-settings.ts'
import { regularise } from './regularise.ts'
import { reciprocalRankFusion } from './rrf.ts'

const reranker = new Reranker()

/**
 * Orders a query's candidates anew by any method, ours or a simpler one to compare it with.
 *
 * ```ts
 * const { order } = rerankWith(query, candidates, { method: 'rocchio', feedbackWeight: 0.2 })
 * ```
 */
export function rerankWith(
  query: Query,
  candidates: Candidates,
  settings?: PartialMethodSettings,
): Ranking {
  const all = resolveMethodSettings(settings)
  const own = similaritySettings(all)
  switch (all.method) {
    case 'neighbours':
      return reranker.rerank(query, candidates, own)
    case 'fusion':
      // Without neighbours: the geometric term of both views is all there is.
      checkTexts(candidates)
      return reranker.rerank(query, candidates, { ...own, lambda: 1, mix: 'standard' })
    case 'rrf': {
      const { total, context } = rowsOfAll(query, candidates, all.contextSize)
      const { geometric, jaccard } = reranker.similarity(context, [0], own)
      return rankCandidates(reciprocalRankFusion([geometric[0]!, jaccard[0]!], all.rrfK), total)
    }
    default: {
      const { total, matrix } = matrixOf(query, candidates, all.contextSize)
      return rankCandidates(scoresOf(matrix, all), total)
    }
  }
}

/** The query's vector as `average` and `rocchio` move it, to search with it again. */
export function feedbackQuery(
  query: Query,
  candidates: Candidates,
  settings?: PartialMethodSettings,
): Float32Array {
  const all = resolveMethodSettings(settings)
  const { matrix } = matrixOf(query, candidates, all.feedbackDocs)
  return checked(feedbackVector(matrix, all))
}

/** The scores of all rows of a context, by their vectors alone. */
function scoresOf(context: Matrix, settings: MethodSettings): Float64Array {
  const { method, k, smoothness } = settings
  if (method === 'regularise') {
    const rows = Array.from({ length: context.rows }, (_, row) => row)
    const cosines = similaritiesOf(context, rows, 'cosine')
    const scores = standardise(similaritiesOf(context, [0], settings.metric)[0]!, [])
    const among = cosines.slice(1).map((row) => row.subarray(1))
    return Float64Array.of(0, ...regularise(scores.subarray(1), among, { k, smoothness }))
  }
  const data = context.data.slice()
  data.set(feedbackVector(context, settings))
  return Float64Array.from(similaritiesOf({ ...context, data }, [0], settings.metric)[0]!)
}

/** S[probe, ·] of some probes, as it is. */
function similaritiesOf(
  context: Matrix,
  probes: readonly number[],
  metric: MethodSettings['metric'],
): Float32Array[] {
  const settings = { metric, mix: 'raw', rowScaling: 'none', k: 1, kExp: 1, trust: 0 } as const
  return reranker.similarity(context, probes, settings).geometric
}

/** The first `limit` candidates below their query, with their words where they have texts. */
function rowsOfAll(
  query: Query,
  candidates: Candidates,
  limit: number,
): { context: RankingContext; total: number } {
  const { matrix, total } = matrixOf(query, candidates, limit)
  const { texts } = toViews(candidates)
  if (texts === undefined) return { context: matrix, total }
  const { text } = toQueryViews(query)
  if (text === undefined)
    throw new KithError('BAD_INPUT', 'the candidates have texts, the query has none')
  if (!Array.isArray(texts)) throw new KithError('BAD_INPUT', 'texts must be an array')
  const all = [text, ...texts.slice(0, matrix.rows - 1)]
  return { context: { vectors: matrix, texts: all }, total }
}

/** The vectors of a query and of the first `limit` of its candidates, and how many there are in all. */
function matrixOf(
  query: Query,
  candidates: Candidates,
  limit: number,
): { matrix: Matrix; total: number } {
  const { vectors: own, views: more } = toViews(candidates)
  const context = contextOf(query, { vectors: own, views: more }, limit, noPostings)
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

function checked(vector: Float32Array): Float32Array {
  if (vector.every(Number.isFinite)) return vector
  throw new KithError(
    'BAD_VECTOR',
    'the query’s vector and those of its candidates give no finite one',
  )
}
