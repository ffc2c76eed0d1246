import { injectGroundTruth, KithError } from '@kith/core'

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
  // A list shorter than the labelled documents holds the first of them.
  const first = [...new Set(labelled)].slice(0, listSize)
  return Uint32Array.from(injectGroundTruth(first, new Set(Array.from(retrieved)), listSize))
}
