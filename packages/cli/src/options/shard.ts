import type { Shard } from '@kith/pipelines/labels'
import type { Options, Values } from './command.ts'
import { UsageError } from './usage-error.ts'
import { optionalText } from './values.ts'

export const shardOption = {
  shard: {
    value: 'I/N',
    help: 'do one share of the queries, such as 3/16',
    default: 'all of them',
  },
} satisfies Options

/** The share that `--shard` names. */
export function readShard(values: Values<typeof shardOption>): Shard {
  const given = optionalText(values, 'shard') ?? '1/1'
  const match = /^(\d{1,6})\/(\d{1,6})$/.exec(given)
  const [index, count] = [Number(match?.[1]), Number(match?.[2])]
  if (index >= 1 && index <= count) return { index, count }
  throw new UsageError(`--shard takes a share such as 3/16, not ${JSON.stringify(given)}`)
}
