import { availableParallelism } from 'node:os'
import { version } from '@kith/base'
import {
  KithError,
  type ListOptions,
  type MethodSettings,
  resolveMethodSettings,
  type TermStatistics,
} from '@kith/core'
import { type RankedQuery, writeRun } from '@kith/ir'
import { countRankings } from '@kith/ir/internal'
import { type StoreAddress, storeName } from '@kith/stores/address'
import { decodeItem } from '../batches/batch-item.ts'
import { BatchPool } from '../batches/batch-pool.ts'
import { decodeRanking, type RerankWork } from '../batches/batch-rerank.ts'
import { BatchSource } from '../batches/batch-source.ts'
import type { BatchAnswer, BatchPart } from '../batches/batch-work.ts'
import { type Submission, type Submitted, submitBatch } from '../batches/submit-batch.ts'
import { inputsOf, type Sidecar, writeSidecarOf } from '../files/sidecar.ts'
import { type Hooks, stageOf } from '../job/hooks.ts'
import { MissingReport, remarkMissing } from '../join/missing.ts'
import { nameTokenizer } from '../join/name-tokenizer.ts'
import { refuseCorpus, submittedStore } from '../join/place.ts'
import { shareStatistics, usesStatistics } from '../join/statistics.ts'
import { keptTerms, storedRunMetric, storeStatistics } from '../join/stores.ts'
import { listOf } from './list-of-run.ts'
import { leavesOut, namesOf } from './list-settings.ts'
import type { Reranked, RerankInputs, RerankPlan } from './rerank-run.ts'
import { emptyColumns } from './rerank-slice.ts'

/** Number of queries to send to a thread at a time. */
const BATCH = 64

/** Inputs with complete settings, and with documents in a store. */
type StorePlan = Omit<RerankPlan, 'out' | 'store' | 'kept'> & { store: StoreAddress }

/** Reranks with documents from a store, on this machine. */
export async function rerankStore(
  asked: RerankPlan,
  store: StoreAddress,
  hooks: Hooks,
): Promise<Reranked> {
  const plan = { ...asked, store, settings: await settingsInStore({ ...asked, store }, hooks) }
  const { out, run, missing, crossEncoding } = plan
  const list = await listOf(plan, store)
  const { batch, made, statistics } = await batchOf(plan, hooks, list)
  const source = await BatchSource.open(plan)
  const workers = plan.workers ?? availableParallelism()
  const parts = { statistics: shareStatistics(statistics), list }
  const pool = new BatchPool(store.address, workers, parts)
  try {
    const start = performance.now()
    const onDone = stageOf(hooks, 'reranking', await countRankings(run))
    const batches = source.batches({ missing, scores: batch.texts }, BATCH)
    const { collection } = store
    const answers = pool.runAll({ kind: 'rerank', settings: batch, collection }, batches)
    const report = new MissingReport()
    let queries = 0
    let folded = 0
    const found = rankings(answers, batch, (more, answer) => {
      report.addAll(answer.missing)
      queries += more
      folded += answer.folded
      onDone(queries)
    })
    const written = crossEncoding ? crossEncoding.reorder(found, hooks) : found
    await writeRun(out, plan.cutoff === undefined ? written : withDocuments(written))
    const seconds = (performance.now() - start) / 1000
    remarkMissing(report, hooks)
    await writeSidecarOf(out, made)
    return { queries, seconds, report, ...(leavesOut(plan.list) ? { folded } : {}) }
  } finally {
    await pool.close()
    await source.close()
  }
}

/** Submits the reranking of a run whose documents are in a store; see `submitRerank`. */
export async function submitToStore(
  inputs: Omit<RerankInputs, 'out'>,
  submission: Submission,
  hooks: Hooks,
): Promise<Submitted> {
  const store = submittedStore(inputs)
  const [listed] = namesOf(inputs.list)
  if (listed) {
    throw new KithError('BAD_SETTING', `submitted work takes no setting ${listed}; leave it out`)
  }
  for (const name of ['cutoff', 'background', 'calibration'] as const) {
    if (inputs[name] === undefined) continue
    throw new KithError('BAD_SETTING', `submitted work takes no ${name}; leave ${name} out`)
  }
  if (typeof inputs.statistics === 'object') {
    throw new KithError(
      'BAD_INPUT',
      'submitted work uses the term statistics of the store; leave out the file of term statistics',
    )
  }
  if (inputs.thenCrossEncode) {
    throw new KithError(
      'BAD_INPUT',
      'submitted work cannot use a cross-encoder; leave out thenCrossEncode, or rerank without submitting',
    )
  }
  const { missing = 'error' } = inputs
  const asked = inputs.tuned?.settings ?? resolveMethodSettings(inputs.settings)
  const given = {
    ...inputs,
    store,
    settings: asked,
    missing,
    crossEncoding: undefined,
  }
  const plan = { ...given, settings: await settingsInStore(given, hooks) }
  const { batch, made } = await batchOf(plan, hooks)
  const source = await BatchSource.open(plan)
  try {
    const { address, collection } = store
    const whole = { name: submission.name, kind: 'rerank', settings: { collection, ...batch } }
    const parts = source.parts({ missing, scores: batch.texts, submitted: true })
    return await submitBatch(address, { ...whole, origin: { ...made } }, parts, submission)
  } finally {
    await source.close()
  }
}

/** Adds the metric of the run to the settings. */
async function settingsInStore(
  { settings, ...files }: StorePlan,
  hooks: Hooks,
): Promise<MethodSettings> {
  return { ...settings, metric: await storedRunMetric(settings.metric, files, hooks) }
}

/**
 * Returns the settings of the batch, the contents of the sidecar, and the term statistics if they
 * are used.
 */
async function batchOf(
  plan: StorePlan,
  hooks: Hooks,
  list?: ListOptions,
): Promise<{ batch: RerankWork; made: Sidecar; statistics: TermStatistics | undefined }> {
  refuseCorpus(plan.corpus)
  const { missing, queryText, store, statistics: source = 'corpus' } = plan
  const about = { statistics: source, terms: () => keptTerms(store) }
  const { statistics: _, ...settings } = await nameTokenizer(plan.settings, about, hooks)
  const texts = queryText !== undefined
  const counts = texts && usesStatistics(settings)
  const statistics = counts ? await storeStatistics(source, store, settings) : undefined
  const file = typeof source === 'object' && statistics ? source.file : undefined
  const given = [
    plan.run,
    plan.queries,
    queryText,
    file,
    plan.tunedFile,
    plan.background,
    plan.calibration,
  ]
  const files = given.filter((name) => name !== undefined)
  const made: Sidecar = {
    command: 'rerank',
    version,
    settings: {
      ...{ ...settings, missing, texts, store: storeName(store) },
      ...(statistics ? { statistics: { documents: statistics.documents } } : {}),
      thenCrossEncode: plan.crossEncoding?.settings,
      cutoff: plan.cutoff,
      list: plan.list,
    },
    inputs: await inputsOf(files),
  }
  const columns = Object.keys(emptyColumns(list)) as RerankWork['columns']
  const batch = { settings, missing, texts, statistics: statistics !== undefined, columns }
  return { batch, made, statistics }
}

async function* rankings(
  batches: AsyncIterable<{ parts: readonly BatchPart[]; answer: BatchAnswer }>,
  { columns }: RerankWork,
  onDone: (more: number, answer: BatchAnswer) => void,
): AsyncGenerator<RankedQuery> {
  for await (const { parts, answer } of batches) {
    for (const [i, { query, body }] of parts.entries()) {
      yield decodeRanking(decodeItem(query, body), answer.results[i]!.body, columns)
    }
    onDone(parts.length, answer)
  }
}

/** Leaves out queries without documents: a run has no line for them. */
async function* withDocuments(rankings: AsyncIterable<RankedQuery>): AsyncGenerator<RankedQuery> {
  for await (const ranking of rankings) if (ranking.ids.length > 0) yield ranking
}
