import type { Embeddings } from '@kith/ir'

/** Documents whose lengths are compared. */
const SAMPLE = 1000

/** Squared lengths whose ratio is this near to 1 are equal, in half precision too. */
const EQUAL = 2e-3

/** Whether vectors differ in length, so that inner product and cosine put them in different orders. */
export function differInLength(vectors: Float32Array, dimensions: number): boolean {
  let [least, most] = [Number.POSITIVE_INFINITY, 0]
  for (let from = 0; from < vectors.length; from += dimensions) {
    let square = 0
    for (let i = from; i < from + dimensions; i++) square += vectors[i]! ** 2
    // A vector of zeros has no direction, and is as near by either metric.
    if (square === 0) continue
    if (square < least) least = square
    if (square > most) most = square
  }
  return most - least > EQUAL * least
}

/** Whether the first documents of a file of embeddings differ in length. */
export function documentsDiffer(docs: Pick<Embeddings, 'rows' | 'read' | 'dimensions'>): boolean {
  return differInLength(docs.read(0, Math.min(docs.rows, SAMPLE)), docs.dimensions)
}
