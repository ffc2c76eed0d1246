import { FileError } from '@kith/base'
import { KithError } from '@kith/core'
import type { Digest } from '../files/paths.ts'
import { type Input, readSidecar, type Sidecar, sidecarOf } from '../files/sidecar.ts'
import { type LabelFormat, labelFormats } from '../job/job-defaults.ts'
import { isSummary, type LabelSummary } from './query-labels.ts'

/** The sidecar that `kith labels` writes beside a shard. */
export interface Share extends Sidecar {
  settings: Readonly<Record<string, unknown>> & { format: LabelFormat }
  queries: { from: number; to: number; total: number }
  summary: LabelSummary
  output: Digest
}

/** Reads the sidecar of a shard; throws an error that names the file if it has another sidecar. */
export async function readShare(file: string): Promise<Share> {
  const found = await readSidecar(file)
  const lacking = found
    ? lackOf(found as Readonly<Record<string, unknown>>)
    : 'there is no such file'
  if (lacking === undefined) return found as Share
  const problem = `is not the .meta.json of a shard of kith labels (${lacking}); make the shard again`
  throw new FileError(sidecarOf(file), '', problem)
}

/** Describes the missing part of a sidecar; undefined if it is the sidecar of a shard. */
function lackOf(found: Readonly<Record<string, unknown>>): string | undefined {
  const { command, version, settings, inputs, queries, summary, output } = found
  if (command !== 'labels' && command !== 'labels merge') return 'no command that makes labels'
  if (typeof version !== 'string') return 'no version'
  if (!isObject(settings)) return 'no settings'
  if (!labelFormats.some((format) => format === settings['format'])) return 'no format of labels'
  if (!Array.isArray(inputs) || !inputs.every(isInput)) return 'no list of inputs'
  if (!isRange(queries)) return 'no range of queries'
  if (!isSummary(summary)) return 'no summary'
  return isDigest(output) ? undefined : 'no digest of the labels'
}

function isInput(value: unknown): value is Input {
  if (!isObject(value) || typeof value['file'] !== 'string') return false
  return value['sha256'] === undefined ? isCount(value['bytes']) : isDigest(value)
}

function isDigest(value: unknown): value is Digest {
  return isObject(value) && isCount(value['bytes']) && typeof value['sha256'] === 'string'
}

function isRange(value: unknown): value is Share['queries'] {
  if (!isObject(value)) return false
  const { from, to, total } = value
  return isCount(from) && isCount(to) && isCount(total) && from <= to && to <= total
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** One of several equal shards of the work: shard `index` of `count`, from 1. */
export interface Shard {
  index: number
  count: number
}

/** Returns the range of a shard's queries; the shards together cover all queries, in order. */
export function shareOf({ index, count }: Shard, total: number): { from: number; to: number } {
  return {
    from: Math.floor(((index - 1) * total) / count),
    to: Math.floor((index * total) / count),
  }
}

/** Throws unless 1 ≤ index ≤ count. */
export function checkShard(shard: Shard): Shard {
  const { index, count } = shard
  const whole = Number.isSafeInteger(index) && Number.isSafeInteger(count)
  if (whole && index >= 1 && index <= count) return shard
  throw new KithError(
    'BAD_SETTING',
    `shard must have whole numbers with 1 ≤ index ≤ count, got ${index}/${count}`,
  )
}
