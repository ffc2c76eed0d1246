import { type Qrels, readQrels } from '@kith/ir'
import { countRankings } from '@kith/ir/internal'
import { digestedInputs, fingerprint, inputsOf, type Sidecar } from '../files/sidecar.ts'
import type { Hooks } from '../hooks.ts'
import { version } from '../version.ts'
import type { LabelLayout } from './label-format.ts'
import { type Shard, shareOf } from './shard.ts'

/** The files and settings that labels are made from. */
export interface LabelFiles {
  run: string
  /** Undefined where labels need no judgments. */
  qrels?: string | undefined
  /** All files, in the order of the sidecar. */
  files: readonly string[]
  /** Those of them that hold embeddings. */
  embeddings: readonly string[]
  /** The settings that the sidecar gets. */
  batch: Readonly<{ settings: object; layout: LabelLayout }>
  shard: Shard
  /** The store's name, where the documents are in one. */
  store?: string | undefined
}

/** The judgments and the queries of a file of labels, read and counted. */
export interface LabelOrigin {
  qrels: Qrels
  /** The places in the run that are labeled. */
  from: number
  to: number
  /** The contents of the sidecar, besides the summary. */
  made: Sidecar & { shard: Shard; queries: { from: number; to: number; total: number } }
  /** A text that is equal for equal contents, so that labeling can go on. */
  key(): Promise<string>
}

/** Reads the judgments and counts the queries, which finds every mistake of the run before the work. */
export async function labelOrigin(
  { run, qrels: qrelsFile, files, embeddings, batch, shard, store }: LabelFiles,
  hooks: Hooks,
): Promise<LabelOrigin> {
  const { settings, layout, ...rest } = batch
  const chosen = { ...settings, ...layout, ...rest, ...(store === undefined ? {} : { store }) }
  const qrels: Qrels = qrelsFile === undefined ? new Map() : await readQrels(qrelsFile)
  hooks.onRemark?.(`counting the queries of ${run} …`)
  const total = await countRankings(run)
  const share = shareOf(shard, total)
  if (shard.count > 1) hooks.onRemark?.('reading the inputs for their digests …')
  // Digests only for shares: mergeLabels compares the contents of their inputs.
  const inputs = shard.count > 1 ? await digestedInputs(files, embeddings) : await inputsOf(files)
  return {
    qrels,
    ...share,
    made: {
      ...{ command: 'labels', version, settings: chosen, inputs },
      ...{ shard, queries: { ...share, total } },
    },
    key: () => fingerprint({ ...chosen, ...share }, files),
  }
}
