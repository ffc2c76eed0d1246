import { type Member, memberOf } from './context.ts'
import type { NeighborVector } from './kernel/engine.ts'
import { PRIOR_WEIGHT, type PriorOptions, withPriors } from './list/priors.ts'
import type { MetricUse } from './method/metric.ts'
import type { RankedContext } from './method/rank-context.ts'
import { noParts, type ScoreParts, scoreParts } from './score-parts.ts'
import type { Settings } from './settings/settings.ts'
import type { Text, TitledText } from './text/prepare-text.ts'
import { windowOf } from './text/query-matches.ts'
import { type TermSpan, termHash, termSpans } from './text/term-spans.ts'
import { tokenizerOf } from './text/tokenizer.ts'
import { matchedTerms } from './text/words-score.ts'

/** A neighbor that the query and a candidate have in common. */
export interface SharedNeighbor {
  /** The neighbor: the query itself, or a candidate. */
  member: Member
  /** The neighbor's weight in the query's neighbor vector. */
  queryWeight: number
  /** The neighbor's weight in the candidate's neighbor vector. */
  candidateWeight: number
}

/** A term of the query that a candidate's text has. */
export interface MatchedTerm {
  /** The term, a stem with `english` terms; undefined if the query's text was prepared before. */
  term: string | undefined
  /** The term's part of the BM25 score. */
  weight: number
}

/** A part of a text: from `start` to before `end`. */
export interface TextSpan {
  start: number
  end: number
}

/** The window of terms in a candidate's title and text: from the first match to the last. */
export interface TextWindow {
  title: TextSpan | undefined
  text: TextSpan | undefined
}

/** A candidate with one of the highest scores by similarity and words. */
export interface Supporter {
  candidate: number
  /** How similar it is to the explained candidate, in the graph of all views. */
  similarity: number
}

/** Why a candidate has its rank. */
export interface Explanation {
  index: number
  /** The rank in the given order, from 1. */
  rankBefore: number
  /** The rank in the new order, from 1. */
  rankAfter: number
  /** The score in the new order: for a candidate of the context, s*. */
  score: number
  /** Whether it is in the context; the others are not looked at closely. */
  inContext: boolean
  /** How the embeddings were compared, and why; undefined if none were. */
  metric: MetricUse | undefined
  /** The parts of its score; all 0 outside the context, and with the raw mix, whose terms have no common scale. */
  parts: ScoreParts
  /** The geometric similarity to the query, before mixing; 0 outside the context. */
  geometric: number
  /** How much its neighborhood overlaps the query's, from 0 to 1; 0 outside the context. */
  jaccard: number
  /** W: its BM25 score, if texts are given. */
  words: number
  /** The query's terms that its text has, the heaviest first. */
  matched: MatchedTerm[]
  /**
   * The terms in a row with most of the query's; undefined if its text has none of them, was
   * prepared before or has a tokenizer that is a function.
   */
  window: TextWindow | undefined
  /**
   * The reciprocal neighbors that the candidate shares with the query, by shared weight,
   * descending.
   */
  shared: SharedNeighbor[]
  /** The best candidates by similarity and words, the most similar to this one first. */
  supporters: Supporter[]
  /** Its prior as it was given, and the weight of the priors; undefined without. */
  prior: number | undefined
  priorWeight: number | undefined
}

/** Gathers why a candidate moved. */
export function explainCandidate(
  index: number,
  ranked: RankedContext,
  settings: Settings,
  texts: { query: Text | undefined; candidate: Text | undefined },
  own: PriorOptions,
): Explanation {
  const { order, scores } = withPriors(ranked.ranking, own, settings.contextSize)
  const place = order.indexOf(index)
  const { jaccard: overlaps, graph, neighborhoods } = (ranked.words ?? ranked.neighbors)!
  const row = ranked.chosen ? ranked.chosen.indexOf(index) + 1 : index + 1
  const inContext = row > 0 && row < overlaps.length
  const explanation: Explanation = {
    index,
    rankBefore: index + 1,
    rankAfter: place + 1,
    score: scores[place]!,
    inContext,
    metric: ranked.ranking.metric,
    parts: { ...noParts },
    geometric: 0,
    jaccard: 0,
    words: 0,
    matched: [],
    window: undefined,
    shared: [],
    supporters: [],
    prior: own.priors?.[index] ?? undefined,
    priorWeight: own.priors && (own.priorWeight ?? PRIOR_WEIGHT),
  }
  if (!inContext) return explanation
  explanation.parts = scoreParts(ranked, settings)[row - 1]!
  const before = ranked.ranking
  explanation.parts.prior = scores[place]! - before.scores[before.order.indexOf(index)]!
  explanation.shared = sharedNeighbors(neighborhoods.vector(0), neighborhoods.vector(row))
  if (ranked.neighbors) {
    const { geometric, jaccard } = ranked.neighbors
    explanation.geometric = geometric.values[row]!
    explanation.jaccard = jaccard[row]!
    return explanation
  }
  const words = ranked.words!
  explanation.geometric = words.similarity[row]!
  explanation.jaccard = words.jaccard[row]!
  explanation.words = words.words[row]!
  explanation.matched = tokenizer(
    matchedTerms(ranked.context.texts!, index + 1, settings),
    texts.query,
    settings,
  )
  explanation.window = spansOf(
    windowOf(ranked.context.texts!, index + 1, settings),
    texts.candidate,
    settings,
  )
  explanation.supporters = words.supporters
    .filter((supporter) => supporter !== row)
    .map((supporter) => ({
      candidate: ranked.chosen ? ranked.chosen[supporter - 1]! : supporter - 1,
      similarity: graph.row(supporter)[row]!,
    }))
    .sort((a, b) => b.similarity - a.similarity)
  return explanation
}

function tokenizer(
  terms: readonly { hash: number; score: number }[],
  query: Text | undefined,
  settings: Settings,
): MatchedTerm[] {
  const how = tokenizerOf(settings)
  const names = new Map<number, string>()
  if (typeof query === 'string') {
    const all =
      typeof how === 'function' ? how(query) : termSpans(query, how).map(({ term }) => term)
    for (const term of all) names.set(termHash(term), term)
  }
  return terms
    .map(({ hash, score }) => ({ term: names.get(hash), weight: score }))
    .sort((a, b) => b.weight - a.weight)
}

/** The positions of a window's terms in a text. */
function spansOf(
  window: { first: number; last: number } | undefined,
  value: Text | undefined,
  settings: Settings,
): TextWindow | undefined {
  const how = tokenizerOf(settings)
  const { title = '', text } = partsOf(value)
  if (!window || text === undefined || typeof how === 'function') return undefined
  const ofTitle = termSpans(title, how)
  const ofText = termSpans(text, how)
  const { first, last } = window
  const within = (spans: readonly TermSpan[], from: number, to: number): TextSpan | undefined => {
    const some = spans.slice(Math.max(0, from), Math.max(0, to + 1))
    if (some.length === 0) return undefined
    // Behind the terms of all words come second terms of the same words.
    const starts = some.map(({ start }) => start)
    const ends = some.map(({ end }) => end)
    return { start: Math.min(...starts), end: Math.max(...ends) }
  }
  return {
    title: within(ofTitle, first, last),
    text: within(ofText, first - ofTitle.length, last - ofTitle.length),
  }
}

/** The title and the text of a candidate; undefined if it was prepared before. */
function partsOf(value: Text | undefined): Partial<TitledText> {
  if (typeof value === 'string') return { text: value }
  return value === undefined || 'postings' in value ? {} : value
}

function sharedNeighbors(query: NeighborVector, candidate: NeighborVector): SharedNeighbor[] {
  const shared: SharedNeighbor[] = []
  query.columns.forEach((row, q) => {
    const queryWeight = query.weights[q]!
    const candidateWeight = candidate.weights[candidate.columns.indexOf(row)] ?? 0
    if (queryWeight > 0 && candidateWeight > 0) {
      shared.push({ member: memberOf(row), queryWeight, candidateWeight })
    }
  })
  const overlap = (neighbor: SharedNeighbor): number =>
    Math.min(neighbor.queryWeight, neighbor.candidateWeight)
  // The columns ascend and sorting is stable: the query and lower candidates come first among equals.
  return shared.sort((a, b) => overlap(b) - overlap(a))
}
