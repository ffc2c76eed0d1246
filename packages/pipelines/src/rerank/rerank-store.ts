import { availableParallelism } from 'node:os'
import {
  KithError,
  type MethodSettings,
  resolveMethodSettings,
  type TermStatistics,
} from '@kith/core'
import { countRankings, type RankedQuery, writeRun } from '@kith/ir'
import { decodeItem } from '../batches/batch-item.ts'
import { BatchPool } from '../batches/batch-pool.ts'
import { decodeRanking, type RerankWork } from '../batches/batch-rerank.ts'
import { BatchSource } from '../batches/batch-source.ts'
import type { BatchAnswer, BatchPart } from '../batches/batch-work.ts'
import { type Submission, type Submitted, submitBatch } from '../batches/submit-batch.ts'
import { remarkLearned } from '../evaluate/remark-learned.ts'
import { inputsOf, type Sidecar, writeSidecarOf } from '../files/sidecar.ts'
import { type Hooks, stageOf } from '../hooks.ts'
import { placeOf } from '../join/documents.ts'
import { type MissingPolicy, MissingReport, remarkMissing } from '../join/missing.ts'
import { checkNamedTokenizer, shareStatistics, usesStatistics } from '../join/statistics.ts'
import { checkStore, type StoreAddress, storeName } from '../join/store-address.ts'
import { storeStatistics } from '../join/store-statistics.ts'
import { storedRunMetric } from '../join/stored-run-metric.ts'
import { version } from '../version.ts'
import type { CrossEncoding } from './cross-encoding.ts'
import { measureReranking } from './rerank-figures.ts'
import type { RerankInputs, RerankResult } from './rerank-run.ts'

/** Queries that go to a thread at a time. */
const BATCH = 64

/** Inputs whose settings are complete and whose documents are in a store. */
export interface RerankStorePlan extends Omit<RerankInputs, 'store'> {
  store: StoreAddress
  settings: MethodSettings
  missing: MissingPolicy
  crossEncoding?: CrossEncoding | undefined
}

/** Reranks with documents of a store, here. */
export async function rerankStore(asked: RerankStorePlan, hooks: Hooks): Promise<RerankResult> {
  const plan = { ...asked, settings: await settingsInStore(asked, hooks) }
  const { out, run, store, missing, qrels, crossEncoding } = plan
  const { batch, made, statistics } = await batchOf(plan)
  const source = await openSource(plan)
  const workers = plan.workers ?? availableParallelism()
  const pool = new BatchPool(store.address, workers, shareStatistics(statistics))
  try {
    const start = performance.now()
    const onDone = stageOf(hooks, 'reranking', await countRankings(run))
    const batches = source.batches({ missing, scores: batch.texts }, BATCH)
    const { collection } = store
    const answers = pool.runAll({ kind: 'rerank', settings: batch, collection }, batches)
    const report = new MissingReport()
    let queries = 0
    const found = rankings(answers, (more, { missing: lacking }) => {
      report.addAll(lacking)
      queries += more
      onDone(queries)
    })
    await writeRun(out, crossEncoding ? crossEncoding.reorder(found, hooks) : found)
    const seconds = (performance.now() - start) / 1000
    remarkMissing(report, hooks)
    await writeSidecarOf(out, made)
    const figures =
      qrels === undefined
        ? undefined
        : await measureReranking(qrels, {
            before: { file: run, run: undefined },
            reranked: crossEncoding?.before,
            after: out,
            measuring: plan.measuring,
          })
    if (figures) await remarkLearned(figures.evaluations, hooks)
    return { out, queries, seconds, missing: report.list(), figures }
  } finally {
    await pool.close()
    await source.close()
  }
}

/** Leaves the reranking of a run to `kith work` on any number of machines. */
export async function submitRerank(
  inputs: Omit<RerankInputs, 'out'>,
  submission: Submission,
  hooks: Hooks = {},
): Promise<Submitted> {
  const place = placeOf(inputs)
  if (!('store' in place)) throw new KithError('BAD_INPUT', 'only work on a store is submitted')
  if (typeof inputs.statistics === 'object') {
    throw new KithError(
      'BAD_INPUT',
      'work that is submitted takes the term statistics of its store: leave out the file of term statistics',
    )
  }
  if (inputs.thenCrossEncode) {
    throw new KithError('BAD_INPUT', 'work that is submitted takes no cross-encoder: rerank here')
  }
  const { missing = 'error' } = inputs
  const asked = inputs.tuned?.settings ?? resolveMethodSettings(inputs.settings)
  const given = { ...inputs, store: place.store, settings: asked, missing }
  const plan = { ...given, settings: await settingsInStore(given, hooks) }
  const { batch, made } = await batchOf(plan)
  const source = await openSource(plan)
  try {
    const { address, collection } = place.store
    const whole = { name: submission.name, kind: 'rerank', settings: { collection, ...batch } }
    const parts = source.parts({ missing, scores: batch.texts, submitted: true })
    return await submitBatch(address, { ...whole, origin: { ...made } }, parts, submission)
  } finally {
    await source.close()
  }
}

/** The settings with the metric of the run. */
async function settingsInStore(
  { settings, ...files }: Omit<RerankStorePlan, 'out'>,
  hooks: Hooks,
): Promise<MethodSettings> {
  return { ...settings, metric: await storedRunMetric(settings.metric, files, hooks) }
}

/** The settings of the batch, the contents of the sidecar, and the term statistics, where they count. */
async function batchOf(
  plan: Omit<RerankStorePlan, 'out'>,
): Promise<{ batch: RerankWork; made: Sidecar; statistics: TermStatistics | undefined }> {
  if (plan.corpus !== undefined) {
    throw new KithError('BAD_INPUT', 'a store has the texts of its documents: leave out the corpus')
  }
  const { missing, queryText, store, statistics: source = 'corpus' } = plan
  checkNamedTokenizer(plan.settings)
  const { statistics: _, ...settings } = plan.settings
  const texts = queryText !== undefined
  const counts = texts && usesStatistics(settings)
  const statistics = counts ? await storeStatistics(source, store, settings) : undefined
  const file = typeof source === 'object' && statistics ? source.file : undefined
  const given = [plan.run, plan.queries, queryText, file, plan.tunedFile]
  const files = given.filter((name) => name !== undefined)
  const made: Sidecar = {
    command: 'rerank',
    version,
    settings: {
      ...{ ...settings, missing, texts, store: storeName(store) },
      ...(statistics ? { statistics: { documents: statistics.documents } } : {}),
      thenCrossEncode: plan.crossEncoding?.settings,
    },
    inputs: await inputsOf(files),
  }
  const batch = { settings, missing, texts, statistics: statistics !== undefined }
  return { batch, made, statistics }
}

/** The queries with all that reranking them takes, if the store has documents for them. */
async function openSource(plan: Omit<RerankStorePlan, 'out'>): Promise<BatchSource> {
  const { run, queries, queryText, dimensions, memory, store } = plan
  const source = await BatchSource.open({ run, queries, queryText }, { dimensions, memory })
  try {
    await checkStore(store, source.dimensions)
    return source
  } catch (error) {
    await source.close()
    throw error
  }
}

async function* rankings(
  batches: AsyncIterable<{ parts: readonly BatchPart[]; answer: BatchAnswer }>,
  onDone: (more: number, answer: BatchAnswer) => void,
): AsyncGenerator<RankedQuery> {
  for await (const { parts, answer } of batches) {
    for (const [i, { query, body }] of parts.entries()) {
      yield decodeRanking(decodeItem(query, body), answer.results[i]!.body)
    }
    onDone(parts.length, answer)
  }
}
