import { KithError, type Query, type Vector } from '@kith/core'
import { planVectors, refuseUnknown, warnMetric } from '@kith/core/internal'
import { checkHits, checkReader, fetchedOptionParts } from './check-arguments.ts'
import { listedHits, listOptions, type RerankedHit } from './hit-list.ts'
import { adaptedQuery, checkVectors, partsOf, type Reader, scoresOf, textsOf } from './reader.ts'
import { type RerankHitsOptions, readOptions } from './rerank-hits.ts'

/** Options for reranking hits whose vectors are fetched. */
export interface RerankFetchedOptions<Hit> extends RerankHitsOptions<Hit> {
  /**
   * Fetches the vectors of the chosen hits, one per hit in their order; undefined for hits without
   * a vector. It is called once per query.
   */
  vectors: (hits: Hit[]) => PromiseLike<readonly (Vector | null | undefined)[]>
}

/** A reader for hits that come without vectors. */
export type FetchedReader<Hit> = Pick<Reader<Hit>, 'text' | 'title' | 'score' | 'byScore'>

/**
 * Reranks hits that came without vectors: texts and the store's scores choose the hits that matter,
 * and only the vectors of the chosen hits are fetched.
 *
 * ```ts
 * const { points } = await client.query('docs', { query: vector, limit: 200, with_payload: true })
 * const better = await rerankFetched({ vector, text }, points, qdrant({ text: 'body' }), {
 *   statistics,
 *   vectors: async (chosen) => fetchVectors(chosen.map(({ id }) => id)),
 * })
 * ```
 *
 * With term statistics of the corpus, 50 hits (setting `contextSize`) are chosen from the first
 * 200; without statistics, the first 50 are chosen. If the reader reads no scores, the vectors of
 * all 200 are fetched.
 */
export function rerankFetched<Hit>(
  query: Query,
  hits: readonly Hit[],
  reader: FetchedReader<NoInfer<Hit>>,
  options: RerankFetchedOptions<NoInfer<Hit>>,
): Promise<RerankedHit<Hit>[]>
/** Reranks hits of a client without types; their type is assumed to fit the reader. */
export function rerankFetched<Hit>(
  query: Query,
  hits: readonly Hit[],
  reader: FetchedReader<Hit>,
  // biome-ignore lint/suspicious/noExplicitAny: the function gets the hits, whose client has no types.
  options: RerankFetchedOptions<any>,
): Promise<RerankedHit<Hit>[]>
export async function rerankFetched<Hit>(
  query: Query,
  hits: readonly Hit[],
  reader: FetchedReader<Hit>,
  options: RerankFetchedOptions<Hit>,
): Promise<RerankedHit<Hit>[]> {
  checkHits(hits)
  checkReader(reader)
  refuseUnknown(options ?? {}, fetchedOptionParts)
  if (typeof options?.vectors !== 'function') {
    throw new KithError(
      'BAD_INPUT',
      'option vectors must be a function that fetches the vectors of hits',
    )
  }
  const { topN, settings } = readOptions(options, hits.length)
  const { vector, text } = partsOf(adaptedQuery(query, options.adapter))
  if (vector === undefined || vector === null) {
    throw new KithError(
      'BAD_INPUT',
      'the query has no vector; pass one, or use rerankHits to rank by words and scores',
    )
  }
  if (hits.length === 0) return []
  const words = text !== undefined
  const candidates = {
    count: hits.length,
    texts: words ? textsOf(hits, reader) : undefined,
    scores: scoresOf(hits, reader),
  }
  const plan = planVectors(text, candidates, settings)
  const fetched = await options.vectors(plan.chosen.map((index) => hits[index]!))
  if (!Array.isArray(fetched) || fetched.length !== plan.chosen.length) {
    const count = Array.isArray(fetched) ? fetched.length : 'no'
    const problem = `option vectors must return ${plan.chosen.length} vectors, one per hit, got ${count}`
    throw new KithError('BAD_SHAPE', problem)
  }
  const advice = 'option vectors must return it'
  const vectors = checkVectors(fetched, advice, words, settings)
  const list = plan.list(vector, vectors, listOptions(options, hits))
  warnMetric(settings.metric, list.metric, 'the hits')
  return listedHits(hits, list, options).slice(0, topN)
}
