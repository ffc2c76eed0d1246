import { KithError, type Settings, type Vector } from '@kith/core'
import { metricInAnyOrder } from '@kith/core/internal'

/**
 * The places of the documents, the most similar to the query first. The documents of `rerank()`
 * may come in any order, and the method starts from an order by similarity.
 */
export function nearestFirst(
  query: Vector,
  documents: readonly Vector[],
  metric: Settings['metric'],
): number[] {
  const products = documents.map((vector, place) => {
    if (vector.length !== query.length) {
      const problem = `document ${place} has ${vector.length} dimensions, the query has ${query.length}`
      throw new KithError('BAD_SHAPE', problem)
    }
    const found = { toQuery: dot(query, vector), square: dot(vector, vector) }
    if (Number.isFinite(found.toQuery) && Number.isFinite(found.square)) return found
    const problem = `the embedding of the query or of document ${place} has a number that is not finite`
    throw new KithError('BAD_VECTOR', problem)
  })
  const own = dot(query, query)
  const name = metricInAnyOrder(metric, {
    toQuery: Float64Array.of(own, ...products.map(({ toQuery }) => toQuery)),
    squares: Float64Array.of(own, ...products.map(({ square }) => square)),
  })
  // The query's own length is the same for all.
  const scores = products.map(({ toQuery, square }) =>
    name === 'dot' ? toQuery : toQuery / (Math.sqrt(square) || 1),
  )
  return [...documents.keys()].sort((a, b) => scores[b]! - scores[a]! || a - b)
}

function dot(a: Vector, b: Vector): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}
