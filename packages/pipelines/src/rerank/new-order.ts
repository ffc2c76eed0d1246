/** A query's new order on its way from the ranker to the run: a column of the run begins in `columnsOf`. */

import type { Ranking } from '@kith/core'
import { extendRanking } from '@kith/core/internal'
import type { RankedQuery } from '@kith/ir'

/** A query's new order: places in the old ranking, best first, and scores that fall. */
export interface NewOrder {
  places: Uint32Array
  scores: Float32Array
}

/**
 * The new order of all of a query's candidates, from the ranking of those that are looked at.
 *
 * @param places The places in the old ranking: those that are looked at first, then all others.
 */
export function newOrder({ places }: { places: Uint32Array }, ranking: Ranking): NewOrder {
  const { order, scores } = extendRanking(ranking, places.length)
  return {
    places: Uint32Array.from(order, (candidate) => places[candidate]!),
    scores: strictlyFalling(scores),
  }
}

/** What the run says of each document besides its id, in the new order. */
export function columnsOf({ scores }: NewOrder): Omit<RankedQuery, 'query' | 'ids'> {
  return { scores }
}

/**
 * The ranking with its first documents in another order, all others behind them as they were. Every
 * place keeps its score.
 *
 * @param first The places of the first documents, best first.
 */
export function reorderFirst(
  { query, ids, scores }: RankedQuery,
  first: readonly number[],
): RankedQuery {
  const behind = <T>(list: readonly T[]): T[] => [
    ...first.map((place) => list[place]!),
    ...list.slice(first.length),
  ]
  return { query, ids: behind(ids), scores: strictlyFalling(Float32Array.from(scores)) }
}

/** An order as bytes, for a batch's results. */
export function encodeOrder({ places, scores }: NewOrder): Buffer {
  return Buffer.concat(
    [places, scores].map((list) => Buffer.from(list.buffer, list.byteOffset, list.byteLength)),
  )
}

/** The order that bytes were made of; undefined where they are no order of so many candidates. */
export function decodeOrder(body: Uint8Array, candidates: number): NewOrder | undefined {
  const bytes = new Uint8Array(body).buffer
  if (bytes.byteLength % 8 !== 0) return undefined
  const places = new Uint32Array(bytes, 0, bytes.byteLength / 8)
  const sound =
    places.every((place) => place < candidates) && new Set(places).size === places.length
  return sound ? { places, scores: new Float32Array(bytes, bytes.byteLength / 2) } : undefined
}

const float = new Float32Array(1)
const bits = new Int32Array(float.buffer)

/** Equal scores would be reordered by document id by every tool that reads the run. */
function strictlyFalling(scores: Float32Array): Float32Array {
  for (let i = 1; i < scores.length; i++) {
    if (scores[i]! < scores[i - 1]!) continue
    float[0] = scores[i - 1]!
    // The next float below: towards zero for a positive one, away from it for the others.
    if (float[0] === 0) float[0] = -1e-45
    else bits[0]! += float[0]! > 0 ? -1 : 1
    scores[i] = float[0]!
  }
  return scores
}
