import {
  type Candidates,
  type Context,
  contextOf,
  type Query,
  selectContext,
  toViews,
} from '../context.ts'
import { KithError } from '../error.ts'
import type { Settings } from '../settings/settings.ts'
import { nameOfTokenizer } from '../text/tokenizer.ts'
import type { Workspace } from '../workspace.ts'
import type { SimilaritySource } from './graph.ts'
import { ROUNDING, standardize } from './mix.ts'
import { lookedAt, type Preselection, preselect } from './preselect.ts'
import { type RankingParts, rankByNeighbors } from './rank-by-neighbors.ts'
import { type Relevance, rankWithWords, type WordsRanking } from './rank-with-words.ts'
import { continueRanking, extendRanking, type Ranking } from './ranking.ts'

/** A ranking of all candidates, and what it was made of. */
export interface RankedQuery {
  ranking: Ranking
  /** All candidates that were looked at, by their index. */
  context: Context
  /** The candidates of the context in their order there; undefined where they are the first ones. */
  chosen: Uint32Array | undefined
  /** The terms of the scores, of the first generation or of the second. */
  neighbors: RankingParts | undefined
  words: WordsRanking | undefined
}

/** Sections 1 to 5: ranks a query's candidates, with the words where there are texts and `mix` is `words`. */
export function rankQuery(
  memory: Workspace,
  query: Query,
  candidates: Candidates,
  settings: Settings,
): RankedQuery {
  const { contextSize, tokenizer } = settings
  const found = toViews(candidates)
  const hasTexts = found.texts !== undefined
  const limit = lookedAt(settings, hasTexts)
  const context = contextOf(query, found, limit, memory.postings, tokenizer)
  const engine = memory.engine(settings.kernel)
  if (settings.mix !== 'words' || !hasTexts) {
    const neighbors = rankByNeighbors(engine, context, settings)
    const { ranking } = neighbors
    return { ranking, context, chosen: undefined, neighbors, words: undefined }
  }
  checkStatisticsFit(settings)
  if (context.rows - 1 <= contextSize) {
    const words = rankWithWords(engine, context, settings)
    const ranking = extendRanking(words.ranking, context.candidates)
    return { ranking, context, chosen: undefined, neighbors: undefined, words }
  }
  return rankChosen(memory, context, preselect(engine, context, settings), settings)
}

/** Steps 1 to 5 over the candidates that a preselection puts first. */
export function rankChosen(
  memory: Workspace,
  all: Context,
  selection: Preselection,
  settings: Settings,
  source?: (chosen: Uint32Array) => SimilaritySource,
): RankedQuery {
  const { order } = selection
  const chosen = order.slice(0, settings.contextSize)
  const context = selectContext(all, chosen, memory.chosen)
  const relevance = relevanceOfChosen(selection, chosen)
  const engine = memory.engine(settings.kernel)
  const { metric } = selection
  const words = rankWithWords(
    engine,
    context,
    { ...settings, metric: metric?.name ?? settings.metric },
    { relevance, metric, source: source?.(chosen) },
  )
  return {
    ranking: rankAll(words.ranking, order, all.candidates),
    context: all,
    chosen,
    neighbors: undefined,
    words,
  }
}

/** The ranking of the chosen candidates, then the others that were looked at, then the rest as they were. */
export function rankAll(inner: Ranking, order: Uint32Array, candidates: number): Ranking {
  const ranking = { ...inner, order: inner.order.map((place) => order[place]!) }
  const rest = Array.from(order.subarray(inner.order.length))
  for (let index = order.length; index < candidates; index++) rest.push(index)
  return continueRanking(ranking, rest)
}

/** g of the chosen rows: z of their g0 over the chosen, not computed anew. */
export function relevanceOfChosen(selection: Preselection, chosen: Uint32Array): Relevance {
  const pick = (values: Float64Array) =>
    Float64Array.of(0, ...Array.from(chosen, (index) => values[index + 1]!))
  return {
    similarity: pick(selection.similarity),
    words: pick(selection.words),
    matched: pick(selection.matched),
    relevance: standardize(pick(selection.relevance), [0], ROUNDING),
  }
}

/** Refuses statistics of another tokenizer than the texts': their terms would count as unknown. */
export function checkStatisticsFit({ statistics, tokenizer }: Settings): void {
  if (!statistics || statistics.tokenizer === nameOfTokenizer(tokenizer)) return
  throw new KithError(
    'BAD_INPUT',
    `term statistics were built with tokenizer '${statistics.tokenizer}', but this call uses '${nameOfTokenizer(tokenizer)}'; rebuild them or pass tokenizer: '${statistics.tokenizer}'`,
  )
}
