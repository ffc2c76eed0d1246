import { baselines } from './baselines/baselines.ts'
import {
  type MethodSettings,
  type PartialMethodSettings,
  resolveMethodSettings,
  similaritySettings,
} from './baselines/method-settings.ts'
import type { Query } from './context.ts'
import { rerank } from './functions.ts'
import type { SomeVectors, Vector } from './matrix.ts'
import { extendRanking, type Ranking } from './method/order-by-score.ts'
import { lookedAt } from './method/preselect.ts'
import { Selection } from './selection.ts'
import type { Text } from './text/prepare-text.ts'

/** A retriever's scores, one for each candidate; undefined where it gave none. */
export type RetrieverScores = readonly (number | undefined)[]

/** Which vectors a ranking of candidates needs, and the ranking once they are there. */
export interface VectorPlan {
  /** The indices of the candidates whose vectors are needed. */
  readonly chosen: readonly number[]
  /** Ranks all candidates, given the vectors of the query and of the chosen ones, in the order of `chosen`. */
  rerank(vector: Vector | undefined, vectors: SomeVectors): Ranking
}

/** Candidates before their vectors are there, best first. */
export interface PlannedCandidates {
  count: number
  /** One each, or none at all where words do not count. */
  texts?: readonly Text[] | undefined
  /** One each where a retriever's scores are known; the higher the better. */
  scores?: RetrieverScores | undefined
}

/**
 * Chooses the candidates whose vectors a ranking needs. Where the context is chosen from more
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
  if (scored && looked > all.contextSize && all.method === 'neighbors') {
    const selection = new Selection({ text }, first, similaritySettings(all))
    return {
      chosen: [...selection.chosen],
      rerank: (vector, vectors) => extendRanking(selection.rerank(vector!, vectors), count),
    }
  }
  return {
    chosen: Array.from({ length: looked }, (_, index) => index),
    rerank(vector, vectors) {
      const query: Query = { vector, text }
      return extendRanking(rerank(query, { vectors, ...first }, all), count)
    },
  }
}

/** How many of the first candidates a method looks at: only those that take words choose their context by them. */
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
