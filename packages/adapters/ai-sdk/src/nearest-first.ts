import { KithError, type Settings, type Vector } from '@kith/core'

/**
 * The places of the documents, the most similar to the query first. The documents of `rerank()`
 * may come in any order, and the method starts from an order by similarity.
 */
export function nearestFirst(
  query: Vector,
  documents: readonly Vector[],
  metric: Settings['metric'],
): number[] {
  const scores = documents.map((vector, place) => {
    if (vector.length !== query.length) {
      const problem = `document ${place} has ${vector.length} dimensions, the query has ${query.length}`
      throw new KithError('BAD_SHAPE', problem)
    }
    const product = dot(query, vector)
    // The query's own length is the same for all.
    const score = metric === 'dot' ? product : product / (Math.sqrt(dot(vector, vector)) || 1)
    if (Number.isFinite(score)) return score
    const problem = `the embedding of the query or of document ${place} has a number that is not finite`
    throw new KithError('BAD_VECTOR', problem)
  })
  return [...documents.keys()].sort((a, b) => scores[b]! - scores[a]! || a - b)
}

function dot(a: Vector, b: Vector): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}
