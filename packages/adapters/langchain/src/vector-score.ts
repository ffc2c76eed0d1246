import type { MetricUse, Vector } from '@kith/core'

/** The similarity of a query and a document before reranking, by which vector stores rank. */
export function vectorScore(query: Vector, document: Vector, metric: MetricUse['name']): number {
  const product = dot(query, document)
  if (metric === 'dot') return product
  const lengths = Math.sqrt(dot(query, query) * dot(document, document))
  return lengths === 0 ? 0 : product / lengths
}

function dot(a: Vector, b: Vector): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}
