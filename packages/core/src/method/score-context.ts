import type { Context } from '../context.ts'
import type { Engine, Neighborhoods, Square } from '../kernel/engine.ts'
import type { Settings } from '../settings/settings.ts'
import type { QueryMatches } from '../text/query-matches.ts'
import { buildGraph, computed, type Recall } from './graph.ts'
import type { MetricUse } from './metric.ts'
import { type GeometricTerm, mix, ROUNDING, standardize } from './mix.ts'

/** The data of a scored context in an engine. */
interface Scored {
  graph: Square
  neighborhoods: Neighborhoods
}

/** Scores of a context's rows, and the two terms that they were mixed of; the query's own entry is at 0. */
export interface NeighborScores extends Scored {
  scores: Float64Array
  geometric: GeometricTerm
  jaccard: Float64Array
  /** How the embeddings were compared; undefined if there are none. */
  metric: MetricUse | undefined
}

/** g of a context's rows, and the two terms that it was made of. */
export interface Relevance {
  /** z of the similarity to the query; 0 if there is none. */
  similarity: Float64Array
  /** W: the BM25 score. */
  words: Float64Array
  /** z of the BM25 score. */
  matched: Float64Array
  /** g: similarity and words together; standardized over the context once it is chosen. */
  relevance: Float64Array
}

/** Scores with words of a context's rows, and their parts before they are weighed; the query's own entry is at 0. */
export interface WordsScores extends Relevance, Scored {
  scores: Float64Array
  /** s_J: how much the neighborhoods overlap. */
  jaccard: Float64Array
  /** j and p, standardized. */
  neighbors: Float64Array
  support: Float64Array
  /** F: the rows with the highest g, which support the others. */
  supporters: number[]
  /** The query's terms in each text, window and title standardized; undefined if neither counts. */
  matches: QueryMatches | undefined
  /** How the embeddings were compared; undefined if there are none. */
  metric: MetricUse | undefined
  /** The inner products or cosines of the embeddings with the query's; NaN for a row without a vector. */
  toQuery: Float64Array | undefined
}

/** Sections 1 to 4 with the query as the probe: similarity and neighbors. */
export function scoreByNeighbors(
  engine: Engine,
  context: Context,
  settings: Settings,
  recall: Recall = computed,
): NeighborScores {
  const { graph, terms } = buildGraph(engine, context, [0], settings, recall)
  const geometric = terms[0]!
  const { metric } = geometric
  const neighborhoods = recall.neighbors(engine, graph, settings, metric)
  const jaccard = neighborhoods.jaccard(0)
  const scores = mix(geometric, jaccard, 0, settings)
  return { scores, geometric, jaccard, metric, graph, neighborhoods }
}

/**
 * Section 4, the scores with words: steps 1 to 6, with the query as the probe.
 *
 * @param known g as the preselection found it, and the metric that it chose.
 */
export function scoreWithWords(
  engine: Engine,
  context: Context,
  settings: Settings,
  known?: { relevance: Relevance; metric: MetricUse | undefined },
  recall: Recall = computed,
): WordsScores {
  const { windowWeight, titleWeight } = settings
  const matched = windowWeight > 0 || titleWeight > 0
  // The texts are put into the engine once, for their BM25 score, their matches and their
  // similarity.
  const texts = known && !matched ? undefined : engine.texts(context.texts!)
  const { graph, terms } = buildGraph(engine, context, [0], settings, recall, texts)
  const term = terms[0]!
  const found = known?.relevance ?? relevanceOf(term, texts!.scores(settings), settings)
  const { relevance } = found
  const neighborhoods = recall.neighbors(engine, graph, settings, term.metric)
  const jaccard = neighborhoods.jaccard(0)
  const neighbors = standardize(jaccard, [0], ROUNDING)
  const { supporters, support } = supportOf(graph, relevance, settings.supportDocs)
  const { neighborWeight, supportWeight } = settings
  const share = 1 - neighborWeight - supportWeight
  const scores = new Float64Array(relevance.length)
  for (let c = 0; c < scores.length; c++) {
    scores[c] = share * relevance[c]! + neighborWeight * neighbors[c]! + supportWeight * support[c]!
  }
  const matches = matched ? texts!.matches(settings) : undefined
  if (matches) {
    addTerm(scores, matches.window, windowWeight)
    addTerm(scores, matches.title, titleWeight)
  }
  // The metric of this graph says nothing if g came from elsewhere.
  const metric = known ? known.metric : term.metric
  return {
    similarity: found.similarity,
    words: found.words,
    matched: found.matched,
    relevance,
    scores,
    jaccard,
    neighbors,
    support,
    supporters,
    matches,
    metric,
    toQuery: term.similarity,
    graph,
    neighborhoods,
  }
}

/** Standardizes a term in place, and adds it to the scores. */
function addTerm(scores: Float64Array, values: Float64Array, weight: number): void {
  standardize(values, [0], ROUNDING, values)
  for (let c = 0; c < scores.length; c++) scores[c]! += weight * values[c]!
}

/** Steps 1 and 2: g of a context from the similarity to the query and the BM25 score. */
function relevanceOf(
  { values, noise }: GeometricTerm,
  words: Float64Array,
  settings: Settings,
): Relevance {
  const found = addWords(standardize(values, [0], noise), words, settings)
  standardize(found.relevance, [0], ROUNDING, found.relevance)
  return found
}

/** g before it is standardized: (1 − a) · z(similarity) + a · z(words). */
export function addWords(
  similarity: Float64Array,
  words: Float64Array,
  { bm25Weight }: Pick<Settings, 'bm25Weight'>,
): Relevance {
  const matched = standardize(words, [0], ROUNDING)
  const relevance = new Float64Array(similarity.length)
  for (let c = 0; c < relevance.length; c++) {
    relevance[c] = (1 - bm25Weight) * similarity[c]! + bm25Weight * matched[c]!
  }
  return { similarity, words, matched, relevance }
}

/**
 * Section 4, the support: F, the `count` candidates with the highest g, ties by the lower row, and
 * p, the mean similarity of each candidate in the graph to the others of F, standardized.
 */
function supportOf(
  graph: Square,
  relevance: Float64Array,
  count: number,
): { supporters: number[]; support: Float64Array } {
  const supporters = highest(relevance, count)
  const sums = new Float64Array(relevance.length)
  for (const row of supporters) {
    const similarities = graph.row(row)
    for (let c = 1; c < sums.length; c++) if (c !== row) sums[c]! += similarities[c]!
  }
  for (let c = 1; c < sums.length; c++) {
    sums[c]! /= supporters.length - Number(supporters.includes(c))
  }
  // A single supporter has no supporter itself: its support is 0.
  const single = supporters.length === 1
  const support = standardize(sums, single ? [0, supporters[0]!] : [0], ROUNDING, sums)
  if (single) support[supporters[0]!] = 0
  return { supporters, support: supporters.length === 0 ? support.fill(0) : support }
}

/** The rows of the highest values, best first, ties by the lower row. */
function highest(values: Float64Array, count: number): number[] {
  const rows: number[] = []
  for (let row = 1; row < values.length; row++) {
    let place = rows.length
    while (place > 0 && values[rows[place - 1]!]! < values[row]!) place--
    if (place === count) continue
    rows.splice(place, 0, row)
    if (rows.length > count) rows.pop()
  }
  return rows
}
