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
import { copySquare } from '../kernel/copy-block.ts'
import { type Rows, rowsOf, withQuery } from '../matrix.ts'
import { computed } from '../method/graph.ts'
import { chooseMetric, type MetricUse } from '../method/metric.ts'
import { lookedAt } from '../method/preselect.ts'
import { type Memory, rankQuery } from '../method/rank-context.ts'
import { cosineOf } from '../method/similarity-steps.ts'
import { vectorSimilarity, withMetric } from '../method/vector-similarity.ts'
import { type PreparedText, prepareText, type Text } from '../text/prepare-text.ts'
import { type Tokenizer, tokenizerOf } from '../text/tokenizer.ts'
import { type Workspace, WorkspacePool } from '../workspace.ts'
import { type Folded, foldDuplicates } from './duplicates.ts'
import { featuresOf, type ListFeatures, type RelevanceFeatures } from './features.ts'
import { type ListOptions, type ListSettings, resolveListOptions } from './list-options.ts'
import { inGroups, keptOf } from './list-steps.ts'
import { withPriors } from './priors.ts'
import { calibrated, estimateOnTopic, estimateRelevance, neverRising } from './relevance.ts'

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
  /**
   * The estimated probability that the query is about something that the corpus has; undefined as
   * `relevance`.
   */
  onTopic: number | undefined
  /** How the embeddings were compared; undefined if none were. */
  metric: MetricUse | undefined
}

const workspaces = /* @__PURE__ */ new WorkspacePool()

/**
 * Ranks candidates as `rerank` does, and makes a list for a prompt or a page: folds near-duplicates,
 * limits the hits per group, estimates how relevant each hit is, and cuts at the best expected F1.
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
  const texts = preparedTexts(found.texts, settings)
  return workspaces.use((memory) => {
    const all = { ...found, texts }
    const folds = settings.collapse !== undefined
    const looked = lookedAt(settings.ranking, texts !== undefined)
    const engine = memory.engine(settings.ranking.kernel)
    const read = folds ? candidateRows(asked, all, 2 * looked) : undefined
    const folded = folds
      ? foldDuplicates(engine, {
          count: countOf(all),
          rows: read && withQuery(asked.vector!, read, 'candidate'),
          texts,
          threshold: settings.collapse!,
          enough: looked,
        })
      : undefined
    const left = folded && folded.duplicates.size > 0 ? pick(all, folded.kept) : all
    // The vectors are read once if the ranking looks at the same ones.
    const same = left === all && read && read.count <= looked ? read : undefined
    const list = rankList(memory, asked, left, settings, folded, same)
    const hits = inGroups(list.hits, settings)
    if (left !== all) {
      for (const hit of hits) hit.duplicates = folded!.duplicates.get(hit.index) ?? []
    }
    const { features, metric } = list
    let known =
      settings.onTopic !== undefined && features ? onTopicOf(features, memory, settings) : undefined
    const keep = keptOf(hits, known, settings)
    return {
      hits: hits.slice(0, keep),
      below: hits.slice(keep),
      // The cosines with the sample take as long as the ranking: they wait until they are asked for.
      get onTopic() {
        known ??= features && workspaces.use((own) => onTopicOf(features, own, settings))
        return known
      },
      metric,
    }
  })
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
  return workspaces.use((memory) => {
    const { hits, query: features } = rankList(memory, asked, found, settings).features!
    return { hits, query: features(memory.engine(settings.ranking.kernel)) }
  })
}

function onTopicOf({ query }: ListFeatures, memory: Workspace, { ranking }: ListSettings): number {
  return estimateOnTopic(query(memory.engine(ranking.kernel)))
}

interface RankedList extends Pick<Shortlist, 'hits' | 'metric'> {
  features: ListFeatures | undefined
}

/** Ranks candidates, with their priors, similarities and estimates. `folded` says which of all candidates they are. */
function rankList(
  memory: Workspace,
  query: QueryViews,
  candidates: CandidateViews,
  settings: ListSettings,
  folded?: Folded,
  read?: Rows,
): RankedList {
  const { ranking: own, background, calibration } = settings
  const ranked =
    own.method === 'neighbors'
      ? rankQuery(memory, query, candidates, own, folded && memoryOf(folded, read))
      : undefined
  const plain =
    ranked?.ranking ??
    baselines[own.method as keyof typeof baselines].rank(memory, query, candidates, own)
  const of = (place: number): number => folded?.kept[place] ?? place
  const { order, scores, similarities } = withPriors(plain, settings, own.contextSize, of)
  const engine = memory.engine(own.kernel)
  const looked = ranked ? ranked.context.rows - 1 : 0
  // The ranking knows the similarities of the candidates that it looked at.
  const rows = background || looked < order.length ? allRows(query, candidates) : undefined
  const compared = rows && engine.products(rows)
  const metric = plain.metric ?? (compared && chooseMetric(own.metric, compared))
  const lacks = new Set(rows?.missing)
  const similarityOf = (place: number): number | undefined => {
    if (!compared || lacks.has(place + 1)) return undefined
    return metric!.name === 'dot' ? compared.toQuery[place + 1]! : cosineOf(compared, place + 1)
  }
  const features =
    background && ranked && query.vector && compared
      ? featuresOf(
          engine,
          background,
          { order, scores, ranked, vector: query.vector, compared, lacks, of },
          own,
        )
      : undefined
  const estimates = features && neverRising(features.hits.map(estimateRelevance))
  const hits: ListedHit[] = []
  for (let i = 0; i < order.length; i++) {
    const place = order[i]!
    const estimate = estimates?.[i]
    const known = similarities ? similarities[i]! : Number.NaN
    hits.push({
      index: of(place),
      score: scores[i]!,
      similarity: Number.isNaN(known) ? similarityOf(place) : known,
      relevance:
        estimate !== undefined && calibration ? calibrated(estimate, calibration) : estimate,
      duplicates: [],
      others: [],
    })
  }
  return { hits, metric, features }
}

/** The inner products by which duplicates were found, for the one ranking of the candidates that are left. */
function memoryOf(
  { products, kept, duplicates }: Folded,
  rows: Rows | undefined,
): Memory | undefined {
  if (!products) return undefined
  return {
    rows,
    recall: (chosen) => ({
      ...computed,
      vectors: (engine, context, view, metric, alone) => {
        const all = chosen === undefined && duplicates.size === 0
        if (view === 'vectors' && all && context.rows === products.rows) {
          return withMetric(products, context, view, metric)
        }
        const rows = Array.from({ length: context.rows }, (_, row) =>
          row === 0 ? 0 : kept[chosen ? chosen[row - 1]! : row - 1]! + 1,
        )
        const known = view === 'vectors' && rows.every((row) => row < products.rows)
        if (!known) return vectorSimilarity(engine, context, view, metric, alone)
        const s = engine.square(rows.length, copySquare(products), rows)
        return withMetric(s, context, view, metric)
      },
    }),
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

/** The vectors of the query and of all candidates; undefined if there are none. */
function allRows(query: QueryViews, candidates: CandidateViews): Rows | undefined {
  const rows = candidateRows(query, candidates, Infinity)
  return rows && withQuery(query.vector!, rows, 'candidate')
}

/** The vectors of the first candidates; undefined if there are none, or none of the query. */
function candidateRows(
  { vector }: QueryViews,
  { vectors, texts }: CandidateViews,
  limit: number,
): Rows | undefined {
  if (vector === undefined || vectors === undefined) return undefined
  return rowsOf(vectors, 'candidate', limit, texts !== undefined)
}

function preparedQuery(query: QueryViews, settings: ListSettings): QueryViews {
  if (query.text === undefined) return query
  return { ...query, text: preparedOf(query.text, tokenizerOf(settings.ranking), 0) }
}

/** The texts of all candidates. A loop: `map` gives V8 arrays of two kinds. */
function preparedTexts(
  texts: readonly Text[] | undefined,
  { ranking }: ListSettings,
): PreparedText[] | undefined {
  if (texts === undefined) return undefined
  const count = countTexts(texts)
  const tokenizer = tokenizerOf(ranking)
  const prepared: PreparedText[] = []
  for (let i = 0; i < count; i++) prepared.push(preparedOf(texts[i]!, tokenizer, i + 1))
  return prepared
}

/** A text is split once, however often it is looked at. */
function preparedOf(text: Text, tokenizer: Tokenizer, row: number): PreparedText {
  const read = checkText(text, row, tokenizer)
  return typeof read === 'object' && 'postings' in read ? read : prepareText(read, { tokenizer })
}
