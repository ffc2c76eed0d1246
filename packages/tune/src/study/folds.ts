import { hashedWords, shuffle } from '@kith/base/random'
import { KithError } from '@kith/core'

/** A stream of random numbers of its own, apart from all trials'. */
const FOLDS_STREAM = 2 ** 40

/**
 * Splits queries into folds of nearly equal size: the fold of each query. Queries of one group
 * stay together, so that near-copies of a question are not both learned from and judged by.
 *
 * @param groups The group of each query; where there are none, each query is its own.
 */
export function splitFolds(
  queries: number,
  folds: number,
  seed: number,
  groups?: readonly string[],
): Uint32Array {
  const members = new Map<string, number[]>()
  for (let query = 0; query < queries; query++) {
    const group = groups?.[query] ?? `${query}`
    members.set(group, [...(members.get(group) ?? []), query])
  }
  if (!Number.isInteger(folds) || folds < 2 || folds > members.size) {
    const what = groups ? `${members.size} groups of queries` : `${queries} queries`
    throw new KithError(
      'BAD_SETTING',
      `folds is ${folds}, allowed: 2 to ${members.size}, there are ${what}`,
    )
  }
  // The largest groups first: the small ones then even out what those made uneven.
  const order = shuffle([...members.values()], hashedWords(seed, FOLDS_STREAM)).sort(
    (a, b) => b.length - a.length,
  )
  const sizes = new Array<number>(folds).fill(0)
  const result = new Uint32Array(queries)
  for (const group of order) {
    const fold = sizes.indexOf(Math.min(...sizes))
    sizes[fold]! += group.length
    for (const query of group) result[query] = fold
  }
  return result
}
