import type { Embeddings } from '@kith/ir'
import type { Hooks } from '../job/hooks.ts'

/** Documents whose lengths are compared. */
const SAMPLE = 1000

/** Squared lengths whose ratio is this near to 1 are equal, in half precision too. */
const EQUAL = 2e-3

/** Whether vectors differ in length, so that inner product and cosine put them in different orders. */
export function differInLength(vectors: Iterable<Float32Array>): boolean {
  let [least, most] = [Number.POSITIVE_INFINITY, 0]
  for (const vector of vectors) {
    let square = 0
    for (const value of vector) square += value ** 2
    // A vector of zeros has no direction, and is as near by either metric.
    if (square === 0) continue
    if (square < least) least = square
    if (square > most) most = square
  }
  return most - least > EQUAL * least
}

/** Whether the first documents of a file of embeddings differ in length. */
export function documentsDiffer(docs: Pick<Embeddings, 'rows' | 'read'>): boolean {
  const rows = Array.from({ length: Math.min(docs.rows, SAMPLE) }, (_, row) => row)
  return differInLength(rows.map((row) => docs.read(row, row + 1)))
}

/** Says that documents of different lengths are searched by inner product, though nobody asked for it. */
export function remarkLengths({ onRemark }: Hooks): void {
  onRemark?.(
    'documents differ in length; searching by metric dot, which favors long vectors: pass metric cosine, or dot to confirm',
  )
}
