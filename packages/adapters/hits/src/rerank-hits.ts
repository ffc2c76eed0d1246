import {
  extendRanking,
  KithError,
  type PartialMethodSettings,
  type Query,
  type QueryViews,
  rerank,
  resolveMethodSettings,
  type Vector,
} from '@kith/core'
import { refuseUnknown } from '@kith/core/internal'
import { checkHits, checkReader, optionParts } from './check-arguments.ts'
import type { Reader } from './reader.ts'

/** How hits are reranked. */
export interface RerankHitsOptions {
  /** How many of the best to return; by default all. */
  topN?: number | undefined
  /** Settings that differ from the default, such as those that `kith tune` found. */
  settings?: PartialMethodSettings | undefined
}

/** A hit in its new place. */
export interface RerankedHit<Hit> {
  /** The hit as the store returned it, its own score included. */
  hit: Hit
  /** The new score. It compares hits of one query only: 0 is about the average of the context. */
  score: number
  /** Where the hit stood before, from 0. */
  index: number
}

/**
 * Gives the hits of any vector store a better order.
 *
 * Hits come as the store returned them, best first, with their vectors. With the
 * query's text and a reader that knows the hits' texts, the words are a second view
 * of the neighbourhood, which helps most:
 *
 * ```ts
 * const { points } = await client.query('docs', { query: vector, limit: 50, with_vector: true, with_payload: true })
 * const better = rerankHits({ vector, text }, points, qdrant({ text: 'body' }), { topN: 10 })
 * ```
 *
 * Only the first hits (setting `contextSize`, 50) need vectors; the others keep their order behind them.
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
  checkReader(reader)
  refuseUnknown(options, optionParts)
  const { topN = hits.length, settings } = options
  if (!Number.isInteger(topN) || topN < 0) {
    throw new KithError('BAD_SETTING', `topN is ${topN}, allowed: whole numbers from 0`)
  }
  const first = hits.slice(0, resolveMethodSettings(settings).contextSize)
  const vectors = first.map((hit, index) => vectorOf(hit, index, reader))
  const asked = (query as Partial<QueryViews> | undefined)?.text
  const texts = asked === undefined ? undefined : textsOf(first, reader)
  const ranking = extendRanking(rerank(query, { vectors, texts }, settings), hits.length)
  return Array.from(ranking.order.subarray(0, topN), (index, place) => ({
    hit: hits[index]!,
    score: ranking.scores[place]!,
    index,
  }))
}

function vectorOf<Hit>(hit: Hit, index: number, { vector, advice }: Reader<Hit>): Vector {
  const found = vector(hit)
  if (found !== undefined && found.length > 0) return found
  const what = advice ?? 'the reader must return one'
  throw new KithError('BAD_INPUT', `hit ${index} has no dense vector: ${what}`)
}

/** Some hits may lack a text; if all do, the field is wrong, and ranking on would hide it. */
function textsOf<Hit>(hits: readonly Hit[], { text }: Reader<Hit>): string[] {
  if (!text) {
    throw new KithError(
      'BAD_INPUT',
      'the query has a text, the reader knows none of the hits: name the field, such as { text: "body" }, or pass the query’s vector alone',
    )
  }
  const texts = hits.map((hit) => text(hit) ?? '')
  if (hits.length > 0 && texts.every((one) => one === '')) {
    throw new KithError(
      'BAD_INPUT',
      'no hit has a text where the reader looks for it: ask the store to return that field, or correct its name',
    )
  }
  return texts
}
