import { readChunks, writeAtomic } from '@kith/base'
import { KithError } from '@kith/core'
import { readLabelsParquet, writeLabelsParquet } from '@kith/ir/internal'
import { identityOf } from '../files/paths.ts'
import { type Input, otherThan, sidecarOf, writeSidecar } from '../files/sidecar.ts'
import { addSummaries, type LabelSummary } from './query-labels.ts'
import { readShare, type Share } from './shares.ts'

/** Shards of labels, and the file for the merged labels. */
export interface MergeInputs {
  /** The files of all shards, in any order. */
  shares: readonly string[]
  out: string
}

/** The result of merging shards. */
export interface MergeResult {
  out: string
  shares: number
  summary: LabelSummary
}

/**
 * Merges the shards of `labelRun` in the order of their queries. Throws if shards are missing,
 * overlap, were changed, or have other settings or inputs.
 *
 * ```ts
 * await mergeLabels({ shares: ['labels-1.jsonl', 'labels-2.jsonl'], out: 'labels.jsonl' })
 * ```
 */
export async function mergeLabels({ shares: named, out }: MergeInputs): Promise<MergeResult> {
  if (named.length === 0)
    throw new KithError('BAD_INPUT', 'no shards to merge; pass at least one file')
  const shares = await Promise.all(
    named.map(async (file) => ({ file, meta: await readShare(file) })),
  )
  shares.sort(
    ({ meta: { queries: a } }, { meta: { queries: b } }) => a.from - b.from || a.to - b.to,
  )
  await checkShares(shares)
  const { settings, inputs, queries } = shares[0]!.meta
  const files = shares.map(({ file }) => file)
  const summary = addSummaries(shares.map(({ meta }) => meta.summary))
  if (settings.format === 'parquet') await writeLabelsParquet(out, labelsOf(files))
  else {
    await writeAtomic(out, async (write) => {
      for (const file of files) for await (const chunk of readChunks(file)) await write(chunk)
    })
  }
  const more = { queries: { from: 0, to: queries.total, total: queries.total }, summary }
  await writeSidecar(out, 'labels merge', settings, files, { ...more, made: inputs })
  return { out, shares: files.length, summary }
}

async function* labelsOf(files: readonly string[]) {
  for (const file of files) yield* readLabelsParquet(file)
}

/** A shard, and its sidecar. */
interface NamedShare {
  file: string
  meta: Share
}

/**
 * Throws unless the shards, in the order of their queries, cover all queries and are unchanged
 * since they were written.
 */
async function checkShares(shares: readonly NamedShare[]): Promise<void> {
  checkSame(shares)
  checkWhole(shares)
  refuseTwice(shares)
  for (const { file, meta } of shares) await checkContents(file, meta)
}

/** Throws if a file is given twice; an empty shard has no queries that would reveal it. */
function refuseTwice(shares: readonly NamedShare[]): void {
  const seen = new Map<string | undefined, string>()
  for (const { file } of shares) {
    const identity = identityOf(file)
    const before = seen.get(identity)
    if (before !== undefined) throw refusal(`${file} and ${before} are the same file`)
    seen.set(identity, file)
  }
}

/** Throws unless a shard is unchanged since its sidecar was written. */
async function checkContents(file: string, meta: Share): Promise<void> {
  const other = await otherThan(file, meta)
  if (other === undefined) return
  const { from, to } = meta.queries
  throw refusal(
    `${file} has changed since ${sidecarOf(file)} was written (${other}); expected labels of ${meta.summary.queries} queries: make the shard of queries ${from + 1} to ${to} again`,
  )
}

/** Throws unless the shards have the same settings, version, inputs and queries. */
function checkSame(shares: readonly NamedShare[]): void {
  const first = shares[0]!
  for (const share of shares) {
    const { file, meta } = share
    // A setting that only one of the shards has is a difference, too.
    for (const name of Object.keys({ ...first.meta.settings, ...meta.settings })) {
      const [value, other] = [meta.settings[name], first.meta.settings[name]]
      if (JSON.stringify(value) === JSON.stringify(other)) continue
      throw refusal(`${file} has ${name} ${show(value)}, but ${first.file} has ${show(other)}`)
    }
    if (meta.version !== first.meta.version) {
      throw refusal(
        `${file} was made by kith ${meta.version}, but ${first.file} by kith ${first.meta.version}`,
      )
    }
    checkSameInputs(share, first)
    const [total, other] = [meta.queries.total, first.meta.queries.total]
    if (total !== other)
      throw refusal(
        `${file} belongs to a run of ${total} queries, but ${first.file} to a run of ${other}`,
      )
  }
}

/** Throws unless the inputs have the same contents; their folders may differ between machines. */
function checkSameInputs(share: NamedShare, first: NamedShare): void {
  if (share === first) return
  const [inputs, others] = [share.meta.inputs, first.meta.inputs]
  const [count, expected] = [inputs.length, others.length]
  if (count !== expected) {
    throw refusal(`${share.file} was made from ${count} files, but ${first.file} from ${expected}`)
  }
  for (const [i, input] of inputs.entries()) {
    const other = others[i]!
    if (input.bytes !== other.bytes || digestOf(share, input) !== digestOf(first, other)) {
      throw refusal(
        `${share.file} was made from ${input.file}, but ${first.file} from ${other.file} with different contents`,
      )
    }
  }
}

function digestOf({ file }: NamedShare, { file: input, sha256 }: Input): string {
  if (sha256 !== undefined) return sha256
  throw refusal(`${sidecarOf(file)} has no digest of ${input}; make the shard again`)
}

/** Throws unless every query is in exactly one shard. */
function checkWhole(shares: readonly NamedShare[]): void {
  let next = 0
  for (const { file, meta } of shares) {
    const { from, to } = meta.queries
    if (from > next) throw refusal(`queries ${next + 1} to ${from} are in no shard`)
    if (from < next)
      throw refusal(
        `queries ${from + 1} to ${Math.min(to, next)} are in ${file} and in another shard`,
      )
    next = to
  }
  const { total } = shares[0]!.meta.queries
  if (next < total) throw refusal(`queries ${next + 1} to ${total} are in no shard`)
}

function refusal(why: string): KithError {
  return new KithError('BAD_INPUT', `cannot merge the shards: ${why}`)
}

function show(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value)
}
