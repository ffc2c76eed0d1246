import { KithError } from '@kith/core'

/**
 * A query's candidates (docs/method.md section 7): the labelled ones first, whether they
 * were retrieved or not, then the retrieved ones, up to the size of a list.
 */
export function candidatesOf(
  id: string,
  labelled: readonly number[],
  retrieved: ArrayLike<number>,
  listSize: number,
): Uint32Array {
  if (labelled.length === 0) {
    throw new KithError('BAD_INPUT', `query ${id} has no relevant document to learn from`)
  }
  const rows = new Set(labelled)
  for (let i = 0; i < retrieved.length && rows.size < listSize; i++) rows.add(retrieved[i]!)
  return Uint32Array.from(rows).subarray(0, listSize)
}
