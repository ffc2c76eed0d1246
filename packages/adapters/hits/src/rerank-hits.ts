import {
  KithError,
  type MethodSettings,
  type PartialMethodSettings,
  type Query,
  resolveMethodSettings,
  shortlist,
  type TermStatistics,
} from '@kith/core'
import {
  completeList,
  methodLooksAt,
  methodTable,
  refuseIdle,
  refuseUnknown,
  warnMetric,
} from '@kith/core/internal'
import { checkHits, checkVectorReader, optionParts } from './check-arguments.ts'
import { type HitListOptions, listedHits, listOptions, type RerankedHit } from './hit-list.ts'
import {
  adaptedQuery,
  checkVectors,
  partsOf,
  type QueryAdapter,
  type Reader,
  scoresOf,
  textsOf,
} from './reader.ts'

/**
 * Reranks the hits of any vector store.
 *
 * Pass the hits as the store returned them, best first, with their vectors. With the query's text
 * and a reader for the hits' texts, texts count too, which helps most:
 *
 * ```ts
 * const { points } = await client.query('docs', { query: vector, limit: 50, with_vector: true, with_payload: true })
 * const better = rerankHits({ vector, text }, points, qdrant({ text: 'body' }), { topN: 10 })
 * ```
 *
 * Only the first hits are reranked (setting `contextSize`: 50, chosen from 200 with term
 * statistics); later hits keep their order. With the query's text, some hits may lack a vector,
 * such as hits of a keyword search: they are ranked by their text and their score.
 */
export function rerankHits<Hit>(
  query: Query,
  hits: readonly Hit[],
  reader: Reader<NoInfer<Hit>>,
  options?: RerankHitsOptions<NoInfer<Hit>>,
): RerankedHit<Hit>[]
/** Reranks hits of a client without types; their type is assumed to fit the reader. */
export function rerankHits<Hit>(
  query: Query,
  hits: readonly Hit[],
  reader: Reader<Hit>,
  // biome-ignore lint/suspicious/noExplicitAny: functions get the hits, whose client has no types.
  options?: RerankHitsOptions<any>,
): RerankedHit<Hit>[]
export function rerankHits<Hit>(
  plain: Query,
  hits: readonly Hit[],
  reader: Reader<Hit>,
  options: RerankHitsOptions<Hit> = {},
): RerankedHit<Hit>[] {
  checkHits(hits)
  checkVectorReader(reader)
  refuseUnknown(options, optionParts)
  const query = adaptedQuery(plain, options.adapter)
  const { topN, settings } = readOptions(options, hits.length)
  const asked = partsOf(query)
  const words = asked.text !== undefined
  refuseIdle(options.settings, settings, { texts: words }, methodTable)
  const first = hits.slice(0, methodLooksAt(settings, words))
  const found = first.map((hit) => reader.vector(hit))
  const candidates = {
    // If the query has no vector, only texts count, and the vectors of the hits are ignored.
    vectors:
      words && asked.vector === undefined
        ? undefined
        : checkVectors(found, reader.advice ?? 'the reader must return one', words, settings),
    texts: words ? textsOf(first, reader) : undefined,
    scores: words ? scoresOf(first, reader) : undefined,
  }
  const wanted = listOptions(options, first)
  const list = shortlist(query, candidates, { ...settings, ...wanted })
  warnMetric(settings.metric, list.metric, 'the hits')
  return listedHits(hits, completeList(list, hits.length, wanted), options).slice(0, topN)
}

/** Options of `rerankHits`. */
export interface RerankHitsOptions<Hit = never> extends HitListOptions<Hit> {
  /** How many of the best hits to return. Default: all. */
  topN?: number | undefined
  /**
   * The term statistics of the corpus, from `termStatistics` of @kith/core or `kith
   * term-statistics`. With them, the context is chosen from the first 200 hits instead of the first
   * 50.
   */
  statistics?: TermStatistics | undefined
  /** Settings that differ from the default, such as the settings of `kith tune`. */
  settings?: PartialMethodSettings | undefined
  /**
   * Changes the query's vector first. Omit it if the vector that you searched with was already
   * adapted.
   */
  adapter?: QueryAdapter | undefined
}

/** Checks the options, and fills in the defaults. */
export function readOptions(
  { topN, statistics, settings }: RerankHitsOptions<never>,
  hits: number,
): { topN: number; settings: MethodSettings } {
  if (topN !== undefined && !(Number.isInteger(topN) && topN >= 0)) {
    throw new KithError('BAD_SETTING', `topN must be a whole number of at least 0, got ${topN}`)
  }
  const known = statistics === undefined ? settings : { ...settings, statistics }
  return { topN: topN ?? hits, settings: resolveMethodSettings(known) }
}
