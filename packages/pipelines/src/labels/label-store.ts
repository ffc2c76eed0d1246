import { availableParallelism } from 'node:os'
import { type StoreAddress, storeName } from '@kith/stores/address'
import { decodeLabels } from '../batches/batch-label.ts'
import { BatchPool } from '../batches/batch-pool.ts'
import { BatchSource } from '../batches/batch-source.ts'
import type { BatchAnswer } from '../batches/batch-work.ts'
import { type Submission, type Submitted, submitBatch } from '../batches/submit-batch.ts'
import type { Hooks } from '../job/hooks.ts'
import { MissingReport, remarkMissing } from '../join/missing.ts'
import { nameTokenizer } from '../join/name-tokenizer.ts'
import { refuseCorpus, submittedStore } from '../join/place.ts'
import { keptTerms, storedRunMetric } from '../join/stores.ts'
import type { LabelInputs, LabelPlan, LabelResult } from './label-run.ts'
import { labelWork, withMetric } from './label-work.ts'
import type { QueryLabels } from './query-labels.ts'
import { countQueries, type LabelOrigin, labelOrigin, writeLabelResults } from './write-labels.ts'

/** Number of queries to send to a thread at a time. */
const BATCH = 64

/** Inputs with complete settings, and with documents in a store. */
type StorePlan = Omit<LabelPlan, 'out' | 'store'> & { store: StoreAddress }

/** Makes labels with documents from a store, on this machine. */
export async function labelStore(
  asked: LabelPlan,
  store: StoreAddress,
  hooks: Hooks,
): Promise<LabelResult> {
  const plan = await complete({ ...asked, store }, hooks)
  const { out, batch, workers = availableParallelism() } = plan
  const { address, collection } = plan.store
  const { origin, source } = await openLabels(plan, hooks)
  const { from, to, made } = origin
  const report = new MissingReport()
  const pool = new BatchPool(address, workers)
  try {
    const key = await origin.key()
    const start = performance.now()
    const summary = await writeLabelResults(
      { out, layout: batch.layout, key, from, to, made },
      (position) => {
        const batches = source.batches({ ...rulesOf(plan, origin), from: position, to }, BATCH)
        const answers = pool.runAll({ kind: 'labels', settings: batch, collection }, batches)
        return labelsOf(answers, report)
      },
      hooks,
    )
    const seconds = (performance.now() - start) / 1000
    remarkMissing(report, hooks)
    return { out, seconds, summary, missing: report.list() }
  } finally {
    await pool.close()
    await source.close()
  }
}

/** Submits the labeling of a run whose documents are in a store; see `submitLabels`. */
export async function submitToStore(
  inputs: Omit<LabelInputs, 'out'>,
  submission: Submission,
  hooks: Hooks,
): Promise<Submitted> {
  const store = submittedStore(inputs)
  const { shard = { index: 1, count: 1 } } = inputs
  const asked = { ...inputs, store, batch: labelWork(inputs, true), shard }
  const plan = await complete(asked, hooks)
  const { origin, source } = await openLabels(plan, hooks)
  try {
    const { address, collection } = store
    const settings = { collection, ...plan.batch }
    const whole = { name: submission.name, kind: 'labels', settings, origin: { ...origin.made } }
    const parts = source.parts({ ...rulesOf(plan, origin), submitted: true })
    return await submitBatch(address, whole, parts, submission)
  } finally {
    await source.close()
  }
}

/**
 * Adds the metric of the run to a plan and, if there are query texts, the tokenizer of the store.
 */
async function complete<T extends StorePlan>(plan: T, hooks: Hooks): Promise<T> {
  const metric = await storedRunMetric(plan.batch.settings.metric, plan, hooks)
  const batch = withMetric(plan.batch, metric)
  if (plan.queryText === undefined) return { ...plan, batch }
  const terms = () => keptTerms(plan.store)
  const settings = await nameTokenizer(batch.settings, { terms }, hooks)
  return { ...plan, batch: { ...batch, settings } }
}

/**
 * Opens the queries with all inputs for labeling them; throws if the store has no documents for
 * them.
 */
async function openLabels(
  plan: StorePlan,
  hooks: Hooks,
): Promise<{ origin: LabelOrigin; source: BatchSource }> {
  const { run, queries, qrels, queryText, store, batch, shard } = plan
  refuseCorpus(plan.corpus)
  const files = [run, queries, qrels, queryText].filter((file) => file !== undefined)
  const total = await countQueries(run, hooks)
  const described = { total, qrels, files, embeddings: [queries], batch, shard }
  const origin = await labelOrigin({ ...described, store: storeName(store) }, hooks)
  return { origin, source: await BatchSource.open(plan) }
}

function rulesOf({ batch }: Pick<StorePlan, 'batch'>, { qrels }: LabelOrigin) {
  return { missing: batch.missing, truth: { qrels, level: batch.level } }
}

async function* labelsOf(
  batches: AsyncIterable<{ answer: BatchAnswer }>,
  report: MissingReport,
): AsyncGenerator<QueryLabels[]> {
  for await (const { answer } of batches) {
    report.addAll(answer.missing)
    yield answer.results.map(({ query, body }) => decodeLabels(query, body))
  }
}
