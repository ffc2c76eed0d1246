import { KithError } from '@kith/core'

/** One of several equal shares of the work: share `index` of `count`, the first being 1. */
export interface Shard {
  index: number
  count: number
}

/** Where a share of some queries begins and ends; together they are all queries, in order. */
export function shareOf({ index, count }: Shard, total: number): { from: number; to: number } {
  return {
    from: Math.floor(((index - 1) * total) / count),
    to: Math.floor((index * total) / count),
  }
}

/** Throws unless a share is one of so many. */
export function checkShard(shard: Shard): Shard {
  const { index, count } = shard
  const whole = Number.isSafeInteger(index) && Number.isSafeInteger(count)
  if (whole && index >= 1 && index <= count) return shard
  throw new KithError('BAD_SETTING', `there is no share ${index} of ${count}`)
}
