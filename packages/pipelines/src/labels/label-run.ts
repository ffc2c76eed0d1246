import type { PartialLabelSettings } from '@kith/core'
import type { LabelValues, OpenEmbeddingsOptions } from '@kith/ir'
import type { Hooks } from '../job/hooks.ts'
import type { Missing, MissingPolicy } from '../join/missing.ts'
import { namingFiles } from '../join/missing-place.ts'
import { type DocumentPlace, placeOf } from '../join/stores.ts'
import { labelFiles } from './label-files.ts'
import type { LabelFormat } from './label-format.ts'
import { labelStore } from './label-store.ts'
import type { LabelSummary } from './label-summary.ts'
import { type LabelWork, labelWork } from './label-work.ts'
import { checkShard, type Shard } from './shard.ts'

/** The inputs of a labeling. */
export interface LabelInputs
  extends DocumentPlace,
    Pick<OpenEmbeddingsOptions, 'dimensions' | 'memory'> {
  /** Candidates of the queries. */
  run: string
  /** Embeddings of the queries. */
  queries: string
  /** Judgments: queries without a relevant document get no labels. */
  qrels: string
  /** The labels to write. */
  out: string
  /** Texts of the documents, for formats that hold texts; a store has them itself. */
  corpus?: string | undefined
  /** Texts of the queries. */
  queryText?: string | undefined
  /** Let the texts count too when documents are compared; default false. */
  texts?: boolean | undefined
  /** From which grade on a document is relevant; default 1. */
  level?: number | undefined
  settings?: PartialLabelSettings | undefined
  /** Default: by the ending of `out`, else jsonl. */
  format?: LabelFormat | undefined
  /** In formats with texts; default: logit for sentence-transformers, else probability. */
  values?: LabelValues | undefined
  /**
   * Negatives in a training row (sentence-transformers, listwise, tevatron): up to half of them
   * have a soft label, the rest has the least evidence; queries with fewer are left out. Default:
   * 2 × (labelDepth − 1), at most half the context.
   */
  negatives?: number | undefined
  missing?: MissingPolicy | undefined
  /** One share of the queries, which `mergeLabels` joins with the others; default: all queries. */
  shard?: Shard | undefined
  /** Threads; the result does not depend on their number. */
  workers?: number | undefined
}

/** Inputs whose settings are complete. */
export interface LabelPlan extends LabelInputs {
  batch: LabelWork
  shard: Shard
}

/** The result of a labeling. */
export interface LabelResult {
  out: string
  seconds: number
  /** Figures to judge the labels by, and why queries were left out. */
  summary: LabelSummary
  /** Queries and documents of this call that lacked something and were skipped. */
  missing: readonly Missing[]
}

/**
 * Makes soft training labels from sparse judgments. Stopped at any moment, the same call goes on
 * where it was, and the file is the same in the end.
 *
 * ```ts
 * const { summary } = await labelRun({
 *   run: 'run.trec', queries: 'queries.npy', docs: 'docs.npy',
 *   qrels: 'qrels.trec', out: 'labels.jsonl',
 * })
 * ```
 */
export async function labelRun(inputs: LabelInputs, hooks: Hooks = {}): Promise<LabelResult> {
  const place = placeOf(inputs)
  const batch = labelWork(inputs, 'store' in place)
  const shard = checkShard(inputs.shard ?? { index: 1, count: 1 })
  const plan = { ...inputs, batch, shard }
  return namingFiles(inputs, () =>
    'store' in place ? labelStore(plan, place.store, hooks) : labelFiles(plan, place.docs, hooks),
  )
}
