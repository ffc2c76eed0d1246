import type { Context } from '../context.ts'
import type { Engine } from '../kernel/engine.ts'
import type { Settings } from '../settings/settings.ts'
import { buildGraph, type SimilaritySource } from './graph.ts'
import type { MetricUse } from './metric.ts'
import { type GeometricTerm, ROUNDING, standardize } from './mix.ts'
import { type Ranking, rankCandidates } from './ranking.ts'
import { findNeighbors } from './similarities.ts'
import { supportOf } from './support.ts'

/** The parts of a second-generation score, before they are weighed; the query's own entry is at 0. */
export interface WordsRanking {
  ranking: Ranking
  /** z of the similarity to the query; 0 where there is none. */
  similarity: Float64Array
  /** W: the words score. */
  words: Float64Array
  /** z of the words score. */
  matched: Float64Array
  /** g: similarity and words together, standardized. */
  relevance: Float64Array
  /** s_J: how much the neighborhoods overlap. */
  jaccard: Float32Array
  /** j and p, standardized. */
  neighbors: Float64Array
  support: Float64Array
  /** F: the rows with the highest g, which support the others. */
  supporters: number[]
}

/** g of a context's rows, and the two terms that it was made of. */
export type Relevance = Pick<WordsRanking, 'similarity' | 'words' | 'matched' | 'relevance'>

/** How a step of the ranking can be replaced by what is remembered of it. */
export interface WordsSteps {
  source?: SimilaritySource | undefined
  /** g as the preselection found it. */
  relevance?: Relevance | undefined
  /** The metric that the preselection chose. */
  metric?: MetricUse | undefined
}

/** Section 4, the second-generation ranking: steps 1 to 5, with the query as the probe. */
export function rankWithWords(
  engine: Engine,
  context: Context,
  settings: Settings,
  steps: WordsSteps = {},
): WordsRanking {
  const [similarity] = buildGraph(engine, context, [0], settings, steps.source)
  const found =
    steps.relevance ?? relevanceOf(similarity!, engine.words(context.texts!, settings), settings)
  const { relevance } = found
  findNeighbors(engine, settings)
  const jaccard = engine.jaccard(0)
  const neighbors = standardize(jaccard, [0], ROUNDING)
  const { supporters, support } = supportOf(engine, relevance, settings.supportDocs)
  const { neighborWeight, supportWeight } = settings
  const own = 1 - neighborWeight - supportWeight
  const scores = new Float64Array(relevance.length)
  for (let c = 0; c < scores.length; c++) {
    scores[c] = own * relevance[c]! + neighborWeight * neighbors[c]! + supportWeight * support[c]!
  }
  // The metric of this graph says nothing where g came from elsewhere.
  const metric = steps.relevance ? steps.metric : similarity!.metric
  const ranking = rankCandidates(scores, context.rows - 1, metric)
  return { ...found, ranking, jaccard, neighbors, support, supporters }
}

/** Steps 1 and 2: g = z((1 − a) · z(similarity) + a · z(words)). */
export function relevanceOf(
  similarity: Pick<GeometricTerm, 'values' | 'noise'>,
  words: Float64Array,
  { bm25Weight }: Pick<Settings, 'bm25Weight'>,
): Relevance {
  const near = standardize(similarity.values, [0], similarity.noise)
  const matched = standardize(words, [0], ROUNDING)
  const sum = new Float64Array(near.length)
  for (let c = 0; c < sum.length; c++) {
    sum[c] = (1 - bm25Weight) * near[c]! + bm25Weight * matched[c]!
  }
  return { similarity: near, words, matched, relevance: standardize(sum, [0], ROUNDING) }
}
