import type { Ranking } from '@kith/core'
import type { RankedQuery } from '@kith/ir'
import type { RerankTask } from './rerank-tasks.ts'

/** One query's documents in their new order. */
export function newRanking(
  { query, ids }: RankedQuery,
  { places }: RerankTask,
  { order, scores }: Ranking,
): RankedQuery {
  return {
    query,
    ids: Array.from(order, (candidate) => ids[places[candidate]!]!),
    scores: strictlyFalling(scores),
  }
}

const float = new Float32Array(1)
const bits = new Int32Array(float.buffer)

/** Equal scores would be reordered by document id by every tool that reads the run. */
export function strictlyFalling(scores: Float32Array): Float32Array {
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
