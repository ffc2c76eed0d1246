import type { Candidates, Query } from '@kith/core'
import { type TrialCollection, type TrialQuery, textAt } from '../evaluate/collection.ts'

/** A judged query and its candidates as reranking takes them, with texts where there are any. */
export function viewsOf(
  { dimensions, queries, docs, texts }: TrialCollection,
  own: TrialQuery,
): [Query, Candidates] {
  const row = (all: Float32Array, number: number) =>
    all.subarray(number * dimensions, (number + 1) * dimensions)
  const vector = row(queries, own.row)
  const vectors = Array.from(own.docs, (number) => row(docs, number))
  if (!texts) return [vector, vectors]
  const asked = { vector, text: textAt(texts.queries, own.row) }
  return [asked, { vectors, texts: Array.from(own.docs, (number) => textAt(texts.docs, number)) }]
}
