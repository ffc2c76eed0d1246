import { baselines } from './baselines/baselines.ts'
import {
  type MethodSettings,
  type PartialMethodSettings,
  resolveMethodSettings,
  similaritySettings,
} from './baselines/method-settings.ts'
import { rerank } from './functions.ts'
import type { ListOptions } from './list/list-options.ts'
import { type Shortlist, shortlist } from './list/shortlist.ts'
import type { SomeVectors, Vector } from './matrix.ts'
import { extendRanking, type Ranking } from './method/order-by-score.ts'
import { lookedAt } from './method/preselect.ts'
import { Selection } from './selection.ts'
import type { Text } from './text/prepare-text.ts'

/** A retriever's scores, one for each candidate; undefined if it gave none. */
export type RetrieverScores = readonly (number | undefined)[]

/** The vectors that a ranking of candidates needs, and the ranking once they are available. */
export interface VectorPlan {
  /** The indices of the candidates whose vectors are needed. */
  readonly chosen: readonly number[]
  /** Ranks all candidates, given the vectors of the query and of the chosen ones, in the order of `chosen`. */
  rerank(vector: Vector | undefined, vectors: SomeVectors): Ranking
  /**
   * Makes a list of the candidates, as `shortlist` does. Candidates that the method does not look
   * at stand behind the others, unless an option removes hits: whether it would keep them is
   * unknown.
   */
  list(
    vector: Vector | undefined,
    vectors: readonly (Vector | undefined)[],
    options?: ListOptions,
  ): Shortlist
}

/** Candidates before their vectors are there, best first. */
export interface PlannedCandidates {
  count: number
  /** The text of each candidate, or none at all if words do not count. */
  texts?: readonly Text[] | undefined
  /** The retriever's score of each candidate, higher is better. */
  scores?: RetrieverScores | undefined
}

/**
 * Chooses the candidates whose vectors a ranking needs. If the context is chosen from more
 * candidates, the words and scores choose it, and only the chosen ones need vectors; without any
 * score all candidates that are looked at need one, since their similarity decides too.
 */
export function planVectors(
  text: Text | undefined,
  { count, texts, scores }: PlannedCandidates,
  settings?: PartialMethodSettings,
): VectorPlan {
  const all = resolveMethodSettings(settings)
  const looked = Math.min(count, methodLooksAt(all, texts !== undefined))
  const first = {
    texts: texts?.slice(0, looked),
    scores: texts && scores?.slice(0, looked),
  }
  const scored = first.scores?.some((score) => score !== undefined)
  const selection =
    scored && looked > all.contextSize && all.method === 'neighbors'
      ? new Selection({ text }, first, similaritySettings(all))
      : undefined
  const chosen = selection ? [...selection.chosen] : Array.from({ length: looked }, (_, i) => i)
  const plan: VectorPlan = {
    chosen,
    rerank(vector, vectors) {
      const ranking = selection
        ? selection.rerank(vector!, vectors)
        : rerank({ vector, text }, { vectors, ...first }, all)
      return extendRanking(ranking, count)
    },
    list(vector, vectors, options = {}) {
      if (Object.values(options).every((option) => option === undefined)) {
        return listOf(plan.rerank(vector, vectors))
      }
      const own: (Vector | undefined)[] = new Array(looked).fill(undefined)
      chosen.forEach((index, i) => {
        own[index] = vectors[i]
      })
      const found = shortlist({ vector, text }, { vectors: own, ...first }, { ...all, ...options })
      return completeList(found, count, options)
    },
  }
  return plan
}

/** A list of all hits of a ranking. */
function listOf({ order, scores, similarities, metric }: Ranking): Shortlist {
  const hits = Array.from(order, (index, i) => {
    const similarity = similarities?.[i] ?? Number.NaN
    return {
      index,
      score: scores[i]!,
      similarity: Number.isNaN(similarity) ? undefined : similarity,
      relevance: undefined,
      duplicates: [],
      others: [],
    }
  })
  return { hits, below: [], onTopic: undefined, metric }
}

/**
 * A list that also has the candidates that were not read, unless an option removes hits:
 * whether it would keep them is unknown.
 */
export function completeList(
  list: Shortlist,
  count: number,
  { cutoff, onTopic, collapse, groups }: ListOptions,
): Shortlist {
  if ([cutoff, onTopic, collapse, groups].some((option) => option !== undefined)) return list
  const order = Uint32Array.from(list.hits, ({ index }) => index)
  const scores = Float32Array.from(list.hits, ({ score }) => score)
  const whole = listOf(extendRanking({ order, scores }, count))
  return { ...list, hits: [...list.hits, ...whole.hits.slice(list.hits.length)] }
}

/** How many of the first candidates a method reads: only methods that use words choose their context. */
export function methodLooksAt(settings: MethodSettings, texts: boolean): number {
  return lookedAt(settings, texts && takesWords(settings.method))
}

/** Whether a method ranks candidates without a vector by their words. */
export function takesWords(method: MethodSettings['method']): boolean {
  return method === 'neighbors' || baselines[method].takesWords
}

/**
 * Scores of which the higher is the better. Candidates stand best first: scores that rise all the
 * way down are distances, and are negated.
 */
export function higherIsBetter(scores: RetrieverScores): RetrieverScores {
  const known = scores.filter((score) => score !== undefined)
  const rising = known.every((score, i) => i === 0 || score >= known[i - 1]!)
  if (!rising || known[0] === known.at(-1)) return scores
  return scores.map((score) => (score === undefined ? undefined : -score))
}
