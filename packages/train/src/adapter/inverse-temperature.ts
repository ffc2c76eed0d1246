import { KithError } from '@kith/core'
import { type DocumentVectors, innerProducts } from '../data/training-query.ts'

/** Maximum numbers of queries and documents for measuring the scale of scores. */
const [QUERIES, DOCUMENTS] = [200, 2000]
/** The product of T and the standard deviation of a query's scores. */
const SHARPNESS = 2
/** T is this number times a power of 2, so that a few other queries do not change it. */
const UNIT = 5

/**
 * Derives T, the factor of inner products, from the scale of the embeddings: 2 divided by the
 * standard deviation of a query's scores, rounded to 5, 10, 20, 40, … T is 20 for MiniLM and 40 for
 * bge-small.
 *
 * @param unit Whether queries are scaled to length 1 before scoring.
 */
export function inverseTemperatureFor(
  queries: readonly { vector: Float32Array }[],
  documents: DocumentVectors,
  { unit = true }: { unit?: boolean } = {},
): number {
  const rows = spread(documents.rows, DOCUMENTS)
  const chosen = spread(queries.length, QUERIES).map((place) => queries[place]!.vector)
  const deviations = chosen.map((vector) => {
    const length = unit ? Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0)) : 1
    return length > 0 ? deviation(innerProducts(vector, rows, documents)) / length : 0
  })
  const mean = deviations.reduce((sum, value) => sum + value, 0) / deviations.length
  if (!(mean > 1e-9)) {
    const problem = `all ${rows.length} sampled documents are equally similar to the queries, so there is nothing to learn`
    throw new KithError('BAD_INPUT', problem)
  }
  return UNIT * 2 ** Math.round(Math.log2(SHARPNESS / mean / UNIT))
}

/** Returns at most `most` evenly spaced integers below `count`. */
function spread(count: number, most: number): number[] {
  const length = Math.min(count, most)
  return Array.from({ length }, (_, i) => Math.floor((i * count) / length))
}

function deviation(values: Float64Array): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return Math.sqrt(squares / values.length)
}
