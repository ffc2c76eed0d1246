import { type MethodSettings, rerank } from '@kith/core'
import { viewsOf, withStatistics } from '../settings/trial-views.ts'
import type { TrialCollection } from './collection.ts'

/** The time that reranking one query takes with some context size. */
export interface QueryTime {
  size: number
  /** The median over queries. */
  milliseconds: number
  /** The first and the third quarter. */
  low: number
  high: number
}

/** Queries that are timed for each size, and milliseconds after which fewer do. */
const QUERIES = 50
const ENOUGH = 1000

/** Times reranking in this thread, each query once and after others: a repeated one would be faster than life. */
export function timePerQuery(
  collection: TrialCollection,
  sizes: readonly number[],
  settings: MethodSettings,
): QueryTime[] {
  const { list } = collection
  const step = Math.max(1, Math.floor(list.length / QUERIES))
  const sample = list.filter((_, i) => i % step === 0).slice(0, QUERIES)
  return sizes.map((size) => {
    const some = withStatistics(collection, { ...settings, contextSize: size })
    const deep = sample.filter(({ docs }) => docs.length >= size)
    const contexts = (deep.length > 0 ? deep : sample).map((own) =>
      viewsOf(collection, own, some.tokenizer),
    )
    // The first calls compile and allocate.
    for (const [query, candidates] of contexts.slice(0, 3)) rerank(query, candidates, some)
    const times: number[] = []
    let total = 0
    for (const [query, candidates] of contexts) {
      const start = performance.now()
      rerank(query, candidates, some)
      const time = performance.now() - start
      times.push(time)
      total += time
      if (total > ENOUGH && times.length >= 5) break
    }
    times.sort((a, b) => a - b)
    const at = (share: number) => times[Math.floor((times.length - 1) * share)]!
    return { size, milliseconds: at(0.5), low: at(0.25), high: at(0.75) }
  })
}
