import { extendRanking, type Query, rerank } from '@kith/core'
import {
  methodLooksAt,
  methodTable,
  refuseIdle,
  refuseUnknown,
  warnMetric,
} from '@kith/core/internal'
import { checkHits, checkVectorReader, optionParts } from './check-arguments.ts'
import { type RerankHitsOptions, readOptions } from './options.ts'
import { checkVectors, partsOf, scoresOf, textsOf } from './read-hits.ts'
import type { Reader } from './reader.ts'
import { type RerankedHit, rankedHits } from './reranked-hit.ts'

/**
 * Gives the hits of any vector store a better order.
 *
 * Hits come as the store returned them, best first, with their vectors. With the
 * query's text and a reader that knows the hits' texts, the words count too, which
 * helps most:
 *
 * ```ts
 * const { points } = await client.query('docs', { query: vector, limit: 50, with_vector: true, with_payload: true })
 * const better = rerankHits({ vector, text }, points, qdrant({ text: 'body' }), { topN: 10 })
 * ```
 *
 * Only the first hits (setting `contextSize`, 50; with statistics 200) are looked at; the others keep
 * their order behind them. With the query's text some of them may lack a vector, such as those that a
 * search for words found: they take part by their words and their score.
 */
export function rerankHits<Hit>(
  query: Query,
  hits: readonly Hit[],
  reader: Reader<NoInfer<Hit>>,
  options?: RerankHitsOptions,
): RerankedHit<Hit>[]
/** Hits of a client without types: they are taken for those that the reader reads. */
export function rerankHits<Hit>(
  query: Query,
  hits: readonly Hit[],
  reader: Reader<Hit>,
  options?: RerankHitsOptions,
): RerankedHit<Hit>[]
export function rerankHits<Hit>(
  query: Query,
  hits: readonly Hit[],
  reader: Reader<Hit>,
  options: RerankHitsOptions = {},
): RerankedHit<Hit>[] {
  checkHits(hits)
  checkVectorReader(reader)
  refuseUnknown(options, optionParts)
  const { topN, settings } = readOptions(options, hits.length)
  const asked = partsOf(query)
  const words = asked.text !== undefined
  refuseIdle(options.settings, settings, { texts: words }, methodTable)
  const first = hits.slice(0, methodLooksAt(settings, words))
  const found = first.map((hit) => reader.vector(hit))
  const candidates = {
    // A query without a vector has words only, and so have the hits.
    vectors:
      words && asked.vector === undefined
        ? undefined
        : checkVectors(found, reader.advice ?? 'the reader must return one', words, settings),
    texts: words ? textsOf(first, reader) : undefined,
    scores: words ? scoresOf(first, reader) : undefined,
  }
  const ranking = rerank(query, candidates, settings)
  warnMetric(settings.metric, ranking.metric, 'the hits')
  return rankedHits(hits, extendRanking(ranking, hits.length), topN)
}
