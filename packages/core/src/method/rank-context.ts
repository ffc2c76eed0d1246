import {
  type Candidates,
  type Context,
  contextOfViews,
  type Query,
  selectContext,
  toQueryViews,
  toViews,
} from '../context.ts'
import { KithError } from '../error.ts'
import type { Rows } from '../matrix.ts'
import type { Settings } from '../settings/settings.ts'
import { nameOfTokenizer, tokenizerOf } from '../text/tokenizer.ts'
import type { Workspace } from '../workspace.ts'
import type { Recall } from './graph.ts'
import type { MetricUse } from './metric.ts'
import { ROUNDING, standardize } from './mix.ts'
import { orderByScore, type Ranking, rankingOfAll } from './order-by-score.ts'
import { lookedAt, type Preselection, preselect, type SimilarityToQuery } from './preselect.ts'
import {
  type NeighborScores,
  type Relevance,
  scoreByNeighbors,
  scoreWithWords,
  type WordsScores,
} from './score-context.ts'
import { usesWords } from './view-weights.ts'

/** A ranking of all candidates, and what it was made of. */
export interface RankedContext {
  ranking: Ranking
  /** All candidates that were looked at, by their index. */
  context: Context
  /** The candidates of the context in their order there; undefined if they are the first ones. */
  chosen: Uint32Array | undefined
  /** The terms of the scores, of the first generation or of the second. */
  neighbors: NeighborScores | undefined
  words: WordsScores | undefined
  /** W of all candidates that were looked at, with the query's own entry at 0; undefined without words. */
  bm25: Float64Array | undefined
}

/** Results that rankings of one query and its candidates share between settings. */
export interface Memory {
  /**
   * The similarity to the query of all candidates that are looked at; undefined if it is computed.
   */
  similarityToQuery?(compute: () => SimilarityToQuery): SimilarityToQuery
  /** The vectors of all candidates that are looked at; undefined if they are not read yet. */
  rows?: Rows | undefined
  /** S and neighbors of a context, or of the candidates that were chosen for it. */
  recall(chosen: Uint32Array | undefined): Recall | undefined
}

/** Sections 1 to 5: ranks a query's candidates, with the words if there are texts and `mix` is `words`. */
export function rankQuery(
  memory: Workspace,
  query: Query,
  candidates: Candidates,
  settings: Settings,
  remembered?: Memory,
): RankedContext {
  const found = toViews(candidates)
  const limit = lookedAt(settings, found.texts !== undefined)
  // The engine first: its kernel counts the words, too.
  memory.engine(settings.kernel)
  const context = contextOfViews(
    toQueryViews(query),
    found,
    limit,
    memory.postings,
    settings,
    remembered?.rows,
  )
  return rankContext(memory, context, settings, remembered)
}

/**
 * Ranks the candidates of a context, which has all candidates that are looked at
 * ({@link lookedAt}); if these are too many, the best of them by similarity and words.
 */
export function rankContext(
  memory: Workspace,
  looked: Context,
  settings: Settings,
  remembered?: Memory,
): RankedContext {
  const choice = chooseContext(memory, looked, settings, remembered)
  const chosen = choice?.chosen
  const context = chosen ? selectContext(looked, chosen, memory.chosen) : looked
  const ranked = rankChosen(memory, context, choice, settings, remembered?.recall(chosen))
  const ranking = rankingOfAll(ranked.ranking, choice?.order, looked.candidates, choice?.similarity)
  const { neighbors, words } = ranked
  return { ranking, context: looked, chosen, neighbors, words, bm25: choice?.bm25 ?? words?.words }
}

/** The candidates that were chosen for a context. */
export interface Choice {
  /** All candidates that were looked at, by g0, the chosen ones first. */
  order: Uint32Array
  chosen: Uint32Array
  /** g of the chosen ones, and the metric of their similarity to the query. */
  relevance: Relevance
  metric: MetricUse | undefined
  /** Inner products or cosines with the query, and W, of all that were looked at; the query's own entry is at 0. */
  similarity: Float64Array | undefined
  bm25: Float64Array
}

/**
 * Step 0: chooses the context from the candidates that are looked at; undefined if all of them are
 * in it.
 */
export function chooseContext(
  memory: Workspace,
  looked: Context,
  settings: Settings,
  remembered?: Memory,
): Choice | undefined {
  if (!usesWords(settings, looked.texts !== undefined)) return undefined
  checkStatisticsFit(settings)
  if (looked.rows - 1 <= settings.contextSize) return undefined
  const found = preselect(
    memory.engine(settings.kernel),
    looked,
    settings,
    remembered?.similarityToQuery,
  )
  const chosen = found.order.slice(0, settings.contextSize)
  const relevance = relevanceOfChosen(found, chosen)
  const { order, metric, compared: similarity, words: bm25 } = found
  return { order, chosen, relevance, metric, similarity, bm25 }
}

/** Steps 1 to 5 over a context that is chosen: its ranking, by the places of its candidates. */
export function rankChosen(
  memory: Workspace,
  context: Context,
  choice: Choice | undefined,
  settings: Settings,
  recall?: Recall,
): Pick<RankedContext, 'ranking' | 'neighbors' | 'words'> {
  const engine = memory.engine(settings.kernel)
  if (!usesWords(settings, context.texts !== undefined)) {
    const neighbors = scoreByNeighbors(engine, context, settings, recall)
    const { scores, metric, geometric } = neighbors
    const ranking = orderByScore(scores, metric, geometric.similarity)
    return { ranking, neighbors, words: undefined }
  }
  // The graph has the metric that chose its candidates.
  const metric = choice?.metric?.name ?? settings.metric
  const own = metric === settings.metric ? settings : { ...settings, metric }
  const words = scoreWithWords(engine, context, own, choice, recall)
  const ranking = orderByScore(words.scores, words.metric, words.toQuery)
  return { ranking, neighbors: undefined, words }
}

/** g of the chosen rows: z of their g0 over the chosen, not computed again. */
function relevanceOfChosen(found: Preselection, chosen: Uint32Array): Relevance {
  const relevance = valuesOf(chosen, found.relevance)
  return {
    similarity: valuesOf(chosen, found.similarity),
    words: valuesOf(chosen, found.words),
    matched: valuesOf(chosen, found.matched),
    relevance: standardize(relevance, [0], ROUNDING, relevance),
  }
}

/** The values of the chosen candidates behind the query's own, which is 0. */
function valuesOf(chosen: Uint32Array, values: Float64Array): Float64Array {
  const picked = new Float64Array(chosen.length + 1)
  for (let i = 0; i < chosen.length; i++) picked[i + 1] = values[chosen[i]! + 1]!
  return picked
}

/** Refuses statistics of another tokenizer than the texts': their terms would count as unknown. */
function checkStatisticsFit(settings: Settings): void {
  const { statistics } = settings
  if (!statistics) return
  const tokenizer = nameOfTokenizer(tokenizerOf(settings))
  if (statistics.tokenizer === tokenizer) return
  throw new KithError(
    'BAD_INPUT',
    `term statistics were built with tokenizer '${statistics.tokenizer}', but this call uses '${tokenizer}'; rebuild them or pass tokenizer: '${statistics.tokenizer}'`,
  )
}
