import type { PreparedText, TermStatistics } from '@kith/core'

/** Prepared texts on shared memory, one behind the other. */
export interface SharedTexts {
  words: Uint32Array
  /** Where each text starts, and at last where the last one ends. */
  starts: Float64Array
  /** How the terms of all of them were made. */
  terms: PreparedText['terms']
}

/** The texts of queries and documents, and how often their terms occur in the collection, if that is known. */
export interface TrialTexts {
  queries: SharedTexts
  docs: SharedTexts
  statistics?: TermStatistics | undefined
}

/** A judged query with its candidates. */
export interface TrialQuery {
  id: string
  /** Queries of one group never stand on both sides of a fold; by default each is its own. */
  group?: string | undefined
  /** Its number among the vectors and texts of the queries. */
  row: number
  /** The candidates that can be reranked, best first, as numbers among `docs`. */
  docs: Uint32Array
  /** Their places in the run, ascending. */
  places: Uint32Array
  /** The grade of every place of the run; negative where there is no judgement. */
  grades: Float64Array
  /** The grades of all judged documents, highest first; none negative. */
  ideal: Float64Array
}

/** Judged queries with all that reranking them takes, on memory that worker threads can share. */
export interface TrialCollection {
  dimensions: number
  list: readonly TrialQuery[]
  /** The vectors, one behind the other. */
  queries: Float32Array
  docs: Float32Array
  /** The texts of the same, once for each way to make terms that is tried; the first is the usual one. */
  texts?: readonly TrialTexts[] | undefined
}

/** Puts texts on shared memory. */
export function shareTexts(texts: readonly PreparedText[]): SharedTexts {
  const starts = new Float64Array(new SharedArrayBuffer((texts.length + 1) * 8))
  texts.forEach(({ postings }, i) => {
    starts[i + 1] = starts[i]! + postings.length
  })
  const words = new Uint32Array(new SharedArrayBuffer(starts[texts.length]! * 4))
  texts.forEach(({ postings }, i) => {
    words.set(postings, starts[i]!)
  })
  return { words, starts, terms: texts[0]?.terms ?? 'english' }
}

/** One text of those that are shared. */
export function textAt({ words, starts, terms }: SharedTexts, number: number): PreparedText {
  return { postings: words.subarray(starts[number]!, starts[number + 1]!), terms }
}
