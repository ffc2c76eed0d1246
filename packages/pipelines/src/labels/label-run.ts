import { checkRegular } from '@kith/base'
import type { PartialLabelSettings } from '@kith/core'
import type { LabelValues, OpenEmbeddingsOptions } from '@kith/ir'
import { shareQrels } from '@kith/ir/internal'
import type { StoreAddress } from '@kith/stores/address'
import type { Submission, Submitted } from '../batches/submit-batch.ts'
import { RESUMES } from '../files/sidecar.ts'
import type { Hooks } from '../job/hooks.ts'
import type { LabelFormat } from '../job/job-defaults.ts'
import { type OpenVectors, openSliceVectors, sliceSources } from '../join/contexts.ts'
import { withFrame } from '../join/frame.ts'
import {
  type Missing,
  type MissingPolicy,
  MissingReport,
  namingFiles,
  remarkMissing,
} from '../join/missing.ts'
import { type DefaultTokenizer, nameTokenizer } from '../join/name-tokenizer.ts'
import { checkTextPair, OpenTexts } from '../join/open-texts.ts'
import { type DocumentPlace, placeOf } from '../join/place.ts'
import { documentsIn, runMetric } from '../join/run-metric.ts'
import { namesOf, type OpenRun, openRun } from '../tasks/open-run.ts'
import { EarlyThreads, runTasks, workersFor } from '../tasks/task-pool.ts'
import { slicesBetween } from './label-slice.ts'
import { type LabelWork, labelWork, withMetric } from './label-work.ts'
import type { LabelSummary } from './query-labels.ts'
import { checkShard, type Shard } from './shares.ts'
import { labelOrigin, writeLabelResults } from './write-labels.ts'

/** The inputs for labeling queries. */
export interface LabelInputs
  extends DocumentPlace,
    DefaultTokenizer,
    Pick<OpenEmbeddingsOptions, 'dimensions' | 'memory'> {
  /** The candidates of the queries. */
  run: string
  /** The embeddings of the queries. */
  queries: string
  /** The judgments; queries without a relevant document get no labels. */
  qrels: string
  /** The file to write the labels to. */
  out: string
  /** The texts of the documents, for formats that hold texts; a store has its own texts. */
  corpus?: string | undefined
  /** The texts of the queries. */
  queryText?: string | undefined
  /** Whether to compare documents by their texts, too; default false. */
  texts?: boolean | undefined
  /** The minimum grade of a relevant document; default 1. */
  level?: number | undefined
  settings?: PartialLabelSettings | undefined
  /** The format of the labels. Default: from the ending of `out`, else jsonl. */
  format?: LabelFormat | undefined
  /**
   * The label values in formats with texts; default: logit for sentence-transformers, else
   * probability.
   */
  values?: LabelValues | undefined
  /**
   * Number of negatives in a training row (sentence-transformers, listwise, tevatron): up to half
   * of them have a soft label, the others have the least evidence; queries with fewer negatives are
   * left out. Default: 2 × (labelDepth − 1), at most half the context. In hard-negatives: the
   * nearest candidates without a label; default 4.
   */
  negatives?: number | undefined
  missing?: MissingPolicy | undefined
  /** A shard of the queries, for merging with `mergeLabels`; default: all queries. */
  shard?: Shard | undefined
  /** Number of threads; the result does not depend on it. */
  workers?: number | undefined
}

/** Inputs with complete settings. */
export interface LabelPlan extends LabelInputs {
  batch: LabelWork
  shard: Shard
}

/** The result of a labeling. */
export interface LabelResult {
  out: string
  seconds: number
  /** Statistics of the labels, and the reasons why queries were left out. */
  summary: LabelSummary
  /** The queries and documents with missing data that this call skipped. */
  missing: readonly Missing[]
}

/**
 * Makes soft training labels from sparse judgments. If it is interrupted, the same call resumes and
 * writes the same file.
 *
 * ```ts
 * const { summary } = await labelRun({
 *   run: 'run.trec', queries: 'queries.npy', docs: 'docs.npy',
 *   qrels: 'qrels.trec', out: 'labels.jsonl',
 * })
 * ```
 */
export async function labelRun(asked: LabelInputs, hooks: Hooks = {}): Promise<LabelResult> {
  const inputs = withFrame(asked)
  const place = placeOf(inputs)
  const batch = labelWork(inputs, 'store' in place)
  const shard = checkShard(inputs.shard ?? { index: 1, count: 1 })
  const plan = { ...inputs, batch, shard }
  return namingFiles(inputs, () =>
    'store' in place
      ? labelDocumentsOf(place.store, plan, hooks)
      : labelFiles(plan, place.docs, hooks),
  )
}

/**
 * Submits the labeling of a run to workers (`workBatches`, `kith work`) on any number of machines.
 *
 * ```ts
 * await submitLabels({ run: 'run.trec', queries: 'queries.npy', store: 'postgres://localhost/kith',
 * qrels: 'qrels.trec' }, { name: 'mine' })
 * ```
 */
export async function submitLabels(
  inputs: Omit<LabelInputs, 'out'>,
  submission: Submission,
  hooks: Hooks = {},
): Promise<Submitted> {
  const { submitToStore } = await import('./label-store.ts')
  return submitToStore(inputs, submission, hooks)
}

/** Makes labels with the documents of a store; its modules are loaded only for that. */
async function labelDocumentsOf(
  store: StoreAddress,
  plan: LabelPlan,
  hooks: Hooks,
): Promise<LabelResult> {
  const { labelStore } = await import('./label-store.ts')
  return labelStore(plan, store, hooks)
}

/** Makes labels with the documents' embeddings from a file. */
async function labelFiles(plan: LabelPlan, docs: string, hooks: Hooks): Promise<LabelResult> {
  const pair = checkTextPair(plan)
  checkRegular(plan.run, RESUMES)
  const threads = EarlyThreads.forRun('labels', plan)
  // The run is indexed while the embeddings are read. An error of the run is thrown below.
  const opening = openRun(plan.run)
  opening.catch(() => {})
  let vectors: OpenVectors | undefined
  let texts: OpenTexts | undefined
  try {
    vectors = await openSliceVectors({ ...plan, docs })
    const about = { texts: pair?.corpus, defaultTokenizer: plan.defaultTokenizer }
    const settings = await nameTokenizer(plan.batch.settings, about, hooks)
    texts = pair && (await OpenTexts.open(pair, settings.tokenizer))
    const batch = { ...plan.batch, settings }
    return await labelWith(await opening, vectors, texts, { ...plan, batch, docs, threads }, hooks)
  } finally {
    await threads.close()
    await vectors?.close()
    await texts?.close()
  }
}

async function labelWith(
  run: OpenRun,
  vectors: OpenVectors,
  texts: OpenTexts | undefined,
  asked: LabelPlan & { docs: string; threads: EarlyThreads },
  hooks: Hooks,
): Promise<LabelResult> {
  const { queries, docs } = vectors
  const ranked = { run: asked.run, rankings: namesOf(run), queries, documents: documentsIn(docs) }
  const metric = await runMetric(asked.batch.settings.metric, ranked, hooks)
  const plan = { ...asked, batch: withMetric(asked.batch, metric) }
  const { out, batch, threads, workers } = plan
  const files = [plan.run, plan.queries, plan.docs, plan.qrels, plan.corpus, plan.queryText]
  const origin = await labelOrigin(
    {
      ...plan,
      total: run.queries,
      files: files.filter((file) => file !== undefined),
      embeddings: [plan.queries, plan.docs],
      store: undefined,
    },
    hooks,
  )
  const { qrels, from, to, made } = origin
  const { texts: compares, ...work } = batch
  const inputs = {
    ...{ ...sliceSources(plan, vectors), ...work, compares },
    qrels: shareQrels(qrels),
    texts: texts?.share(),
  }
  const key = await origin.key()
  const report = new MissingReport()
  const start = performance.now()
  const summary = await writeLabelResults(
    { out, layout: batch.layout, key, from, to, made },
    async function* (position) {
      const tasks = slicesBetween(run, position, to)
      const count = workers ?? workersFor(to - position)
      const answers = runTasks('labels', inputs, tasks, count, { batch: 1, threads })
      for await (const [, { results, missing }] of answers) {
        report.addAll(missing)
        yield results
      }
    },
    hooks,
  )
  const seconds = (performance.now() - start) / 1000
  remarkMissing(report, hooks)
  return { out, seconds, summary, missing: report.list() }
}
