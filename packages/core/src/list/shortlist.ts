import { baselines } from '../baselines/baselines.ts'
import type { PartialMethodSettings } from '../baselines/method-settings.ts'
import {
  type Candidates,
  type CandidateViews,
  checkText,
  countTexts,
  type Query,
  type QueryViews,
  toQueryViews,
  toViews,
} from '../context.ts'
import { KithError } from '../error.ts'
import type { Products } from '../kernel/engine.ts'
import { type Rows, rowsOf, withQuery } from '../matrix.ts'
import { chooseMetric, type MetricUse } from '../method/metric.ts'
import { lookedAt } from '../method/preselect.ts'
import { rankQuery } from '../method/rank-context.ts'
import { type PreparedText, prepareText, type Text } from '../text/prepare-text.ts'
import { tokenizerOf } from '../text/tokenizer.ts'
import { queryTerms } from '../text/words-score.ts'
import { Lender, type Workspace } from '../workspace.ts'
import { type Background, cosinesToSample } from './background.ts'
import { foldDuplicates } from './duplicates.ts'
import { type ListOptions, type ListSettings, resolveListOptions } from './list-options.ts'
import { inGroups, keptOf, withPriors } from './list-steps.ts'
import {
  calibrated,
  ESTIMATED,
  estimateOnTopic,
  estimateRelevance,
  type HitFeatures,
  neverRising,
  type QueryFeatures,
} from './relevance.ts'

/** A candidate in a list. */
export interface ListedHit {
  /** The candidate's index. */
  index: number
  /** Compares the hits of one query, and means nothing beyond it. */
  score: number
  /** The inner product or cosine with the query, as `metric` says; undefined without a vector. */
  similarity: number | undefined
  /**
   * The estimated probability that the hit is relevant, which never rises from hit to hit; undefined
   * behind the first 20, and without background, vectors or texts.
   */
  relevance: number | undefined
  /** The candidates that repeat this one. */
  duplicates: number[]
  /** Further hits of its group, best first. */
  others: number[]
}

/** The list that a prompt or a page shows. */
export interface Shortlist {
  /** The hits that are kept, best first. */
  hits: ListedHit[]
  /** The hits behind the cutoff. */
  below: ListedHit[]
  /** The estimated probability that the query is about something that the collection has; undefined as `relevance`. */
  onTopic: number | undefined
  /** How the embeddings were compared; undefined where none were. */
  metric: MetricUse | undefined
}

const lender = new Lender()

/**
 * Ranks candidates as `rerank` does, and makes a list of them: near-duplicates folded, few hits of a
 * group, with an estimate of how relevant each is, cut where the expected F1 is best.
 *
 * ```ts
 * const { hits, onTopic } = shortlist({ vector, text }, { vectors, texts }, {
 *   background: known, statistics, cutoff: 'auto', onTopic: 0.5, collapse: 0.95, groups: pages,
 * })
 * ```
 */
export function shortlist(
  query: Query,
  candidates: Candidates,
  options?: ListOptions & PartialMethodSettings,
): Shortlist {
  const settings = resolveListOptions(options)
  const asked = preparedQuery(toQueryViews(query), settings)
  const found = toViews(candidates)
  if (found.texts !== undefined) countTexts(found.texts)
  const texts = found.texts?.map((text, i) => preparedOf(text, settings, i + 1))
  return lender.lend((memory) => {
    const all = { ...found, texts }
    const folds = settings.collapse !== undefined
    const looked = lookedAt(settings.ranking, texts !== undefined)
    const engine = memory.engine(settings.ranking.kernel)
    const folded = folds
      ? foldDuplicates(engine, {
          count: countOf(all),
          rows: allRows(asked, all, 2 * looked),
          texts,
          threshold: settings.collapse!,
          enough: looked,
        })
      : undefined
    engine.release()
    const left = folded ? pick(all, folded.kept) : all
    const list = rankList(memory, asked, left, settings, folded?.kept)
    const hits = inGroups(list.hits, settings)
    for (const hit of hits) hit.duplicates = folded?.duplicates.get(hit.index) ?? []
    const keep = keptOf(hits, list.onTopic, settings)
    const { onTopic, metric } = list
    return { hits: hits.slice(0, keep), below: hits.slice(keep), onTopic, metric }
  })
}

/** The inputs of the estimates for one query: what the models are fitted on. */
export interface RelevanceFeatures {
  hits: (HitFeatures & { index: number })[]
  query: QueryFeatures
}

/** The inputs of the estimates of a list; for fitting the models. */
export function relevanceFeatures(
  query: Query,
  candidates: Candidates,
  options: ListOptions & PartialMethodSettings,
): RelevanceFeatures {
  const settings = resolveListOptions(options)
  const asked = toQueryViews(query)
  const found = toViews(candidates)
  return lender.lend((memory) => rankList(memory, asked, found, settings).features!)
}

interface RankedList extends Omit<Shortlist, 'below'> {
  features: RelevanceFeatures | undefined
}

/** Ranks candidates, with their priors, similarities and estimates. `indices` are theirs among all candidates. */
function rankList(
  memory: Workspace,
  query: QueryViews,
  candidates: CandidateViews,
  settings: ListSettings,
  indices?: readonly number[],
): RankedList {
  const { ranking: own, background } = settings
  const neighbors = own.method === 'neighbors'
  const ranked = neighbors ? rankQuery(memory, query, candidates, own) : undefined
  const plain =
    ranked?.ranking ??
    baselines[own.method as keyof typeof baselines].rank(memory, query, candidates, own)
  const of = (place: number): number => indices?.[place] ?? place
  const ranking = withPriors(plain, settings, of)
  const { order, scores } = ranking
  const engine = memory.engine(own.kernel)
  const rows = allRows(query, candidates)
  const compared = rows && engine.products(rows)
  const metric = compared && (plain.metric ?? chooseMetric(own.metric, compared, () => compared))
  const lacks = new Set(rows?.missing)
  const similarities = Array.from(order, (index) => {
    if (!compared || lacks.has(index + 1)) return undefined
    return metric!.name === 'dot' ? compared.toQuery[index + 1]! : cosineOf(compared, index + 1)
  })
  let features: RelevanceFeatures | undefined
  if (background && ranked && query.vector && compared && ranked.context.texts) {
    const texts = engine.texts(ranked.context.texts)
    const { coverage, total } = texts.matches(own)
    const { mean, deviation } = background.pairs
    const hits = Array.from(order.subarray(0, ESTIMATED), (index, i) => ({
      index: of(index),
      similarity: lacks.has(index + 1)
        ? 0
        : (cosineOf(compared, index + 1) - mean) / (deviation || 1),
      coverage: coverage[index + 1] ?? 0,
      rank: i + 1,
      score: scores[i]!,
    }))
    const words = largest(texts.scores(own)) / (total * (own.k1 + 1) || 1)
    const { counts } = queryTerms(ranked.context.texts)
    const terms = counts.reduce((sum, count) => sum + count, 0)
    const nearest = nearestOf(background, query.vector, compared, lacks)
    features = { hits, query: { ...nearest, words, coverage: largest(coverage), terms } }
  }
  const estimates = features && neverRising(features.hits.map(estimateRelevance))
  const { calibration } = settings
  const hits = Array.from(order, (index, i): ListedHit => {
    const estimate = estimates?.[i]
    return {
      index: of(index),
      score: scores[i]!,
      similarity: similarities[i],
      relevance:
        estimate !== undefined && calibration ? calibrated(estimate, calibration) : estimate,
      duplicates: [],
      others: [],
    }
  })
  return { hits, onTopic: features && estimateOnTopic(features.query), metric, features }
}

/** The query's largest cosine beside those of nearest documents and of the sample. */
function nearestOf(
  known: Background,
  vector: ArrayLike<number>,
  compared: Products,
  lacks: ReadonlySet<number>,
): Pick<QueryFeatures, 'nearest' | 'background'> {
  if (vector.length !== known.dimensions) {
    throw new KithError(
      'BAD_SHAPE',
      `the query has ${vector.length} dimensions, but the background has ${known.dimensions}`,
    )
  }
  let most = -1
  for (let row = 1; row < compared.squares.length; row++) {
    if (!lacks.has(row)) most = Math.max(most, cosineOf(compared, row))
  }
  const sample = cosinesToSample(known, vector)
  return {
    nearest: (most - known.nearest.mean) / (known.nearest.deviation || 1),
    background: (most - sample.mean) / (sample.deviation || 1),
  }
}

/** Some candidates, by their index. */
function pick(all: CandidateViews, kept: readonly number[]): CandidateViews {
  const some = <T>(list: ArrayLike<T> | undefined) => list && kept.map((index) => list[index]!)
  const { vectors } = all
  if (vectors && 'data' in vectors) {
    const { chosen } = vectors
    const rows = Uint32Array.from(kept, (index) => (chosen ? chosen[index]! : index))
    return {
      ...all,
      vectors: { ...vectors, chosen: rows },
      texts: some(all.texts),
      scores: some(all.scores),
    }
  }
  return { ...all, vectors: some(vectors), texts: some(all.texts), scores: some(all.scores) }
}

/** How many candidates there are. */
function countOf({ vectors, texts }: CandidateViews): number {
  if (texts) return texts.length
  return vectors ? rowsOf(vectors, 'candidate', 0).total : 0
}

/** The vectors of the query and of the first candidates; undefined where there are none. */
function allRows(
  query: QueryViews,
  { vectors, texts }: CandidateViews,
  limit = Infinity,
): Rows | undefined {
  if (query.vector === undefined || vectors === undefined) return undefined
  const rows = rowsOf(vectors, 'candidate', limit, texts !== undefined)
  return withQuery(query.vector, rows, 'candidate')
}

function preparedQuery(query: QueryViews, settings: ListSettings): QueryViews {
  return query.text === undefined ? query : { ...query, text: preparedOf(query.text, settings, 0) }
}

/** A text is split once, however often it is looked at. */
function preparedOf(text: Text, { ranking }: ListSettings, row: number): PreparedText {
  const tokenizer = tokenizerOf(ranking)
  const read = checkText(text, row, tokenizer)
  return typeof read === 'object' && 'postings' in read ? read : prepareText(read, { tokenizer })
}

function cosineOf({ toQuery, squares }: Products, row: number): number {
  return toQuery[row]! / (Math.sqrt(squares[row]! * squares[0]!) || 1)
}

function largest(values: Float64Array): number {
  return values.reduce((most, value) => Math.max(most, value), 0)
}
