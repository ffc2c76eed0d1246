import { KithError, Reranker, type TermStatistics } from '@kith/core'
import { ndcg } from '@kith/ir/measures'
import type { StudioSources } from './studio-context.ts'
import { type QueryEntry, type StudioContext, wordsOf } from './studio-wire.ts'

/** Returns the queries of the run that have an embedding and, if there are texts, a text. */
export function entriesOf(
  { run, queries, texts, qrels }: StudioSources,
  level: number,
): Map<string, QueryEntry> {
  const entries = new Map<string, QueryEntry>()
  for (const id of run.queries) {
    const text = texts?.queries.get(id)?.text
    if (queries.rowOf(id) === undefined || (texts && text === undefined)) continue
    const grades = [...(qrels.get(id)?.values() ?? [])]
    entries.set(id, { id, text, relevant: grades.filter((grade) => grade >= level).length })
  }
  return entries
}

/** The cutoff of the measure. */
const CUTOFF = 10

/**
 * Returns the query that gains most in nDCG@10 by reranking with the default settings; undefined
 * without judgments.
 */
export function openingQuery(
  queries: readonly string[],
  contextOf: (query: string) => StudioContext,
  statistics: TermStatistics | undefined,
): string | undefined {
  const reranker = new Reranker({ statistics })
  let best: string | undefined
  let largest = Number.NEGATIVE_INFINITY
  for (const query of queries) {
    const gain = gainOf(contextOf(query), reranker) ?? Number.NEGATIVE_INFINITY
    if (gain <= largest) continue
    best = query
    largest = gain
  }
  return best
}

/**
 * Returns the gain in a query's nDCG@10 by reranking; undefined if no document is judged relevant
 * or a vector is invalid.
 */
function gainOf(context: StudioContext, reranker: Reranker): number | undefined {
  if (context.truth.length === 0 || context.ideal.length === 0) return undefined
  try {
    return gain(context, reranker)
  } catch (error) {
    // The page shows the error when this query is opened.
    if (error instanceof KithError) return undefined
    throw error
  }
}

function gain(
  { query, documents, retrieved, ideal, vectors }: StudioContext,
  reranker: Reranker,
): number {
  const { data, dimensions } = vectors
  const candidates = {
    vectors: { data: data.subarray(dimensions), rows: retrieved, dimensions },
  }
  const vector = data.subarray(0, dimensions)
  const found = documents.slice(0, retrieved)
  const { text } = query
  const { order } =
    text === undefined
      ? reranker.rerank(vector, candidates)
      : reranker.rerank({ vector, text }, { ...candidates, texts: found.map(wordsOf) })
  const measured = (ranked: Iterable<number>): number =>
    ndcg(
      Array.from(ranked, (place) => found[place]!.grade ?? -1),
      ideal,
      CUTOFF,
    )
  return measured(order.subarray(0, CUTOFF)) - measured(Array(Math.min(CUTOFF, retrieved)).keys())
}
