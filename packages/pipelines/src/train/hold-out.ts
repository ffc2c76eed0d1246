import { join } from 'node:path'
import { seededFraction } from '@kith/base/random'
import { KithError, type Matrix } from '@kith/core'
import {
  type Comparison,
  compare,
  type Embeddings,
  type Evaluation,
  evaluate,
  type Qrels,
  RunBuilder,
  writeQrels,
} from '@kith/ir'
import { type Metric, searchExact } from '@kith/stores'
import type { DeviceOptions, QueryModel, TrainingQuery } from '@kith/train'
import { trainDefaults } from '@kith/train/internal'
import type { Hooks } from '../job/hooks.ts'
import { jobDefaults } from '../job/job-defaults.ts'
import { loadTrain, type TrainingInputs } from './training-inputs.ts'

/** Minimum number of held-out queries for a test. */
const FEWEST = 2
/** Minimum number of held-out queries for choosing a checkpoint. */
const ENOUGH_TO_CHOOSE = 20

/** The source of relevance for measuring held-out queries. */
export type MeasuredBy = 'judgments' | 'teacher'

/** Queries that a training does not learn from, with all their judgments. */
export interface HeldOutQueries {
  queries: readonly TrainingQuery[]
  qrels: Qrels
}

/**
 * Returns the fraction of training queries to hold out; throws if `holdOut` is invalid or has no
 * effect.
 */
export function holdOutOf(
  {
    holdOut,
    training,
    validation,
    teacher,
  }: Pick<TrainingInputs, 'holdOut' | 'training' | 'validation' | 'teacher'>,
  testable = training.qrels !== undefined || teacher !== undefined,
): number {
  const fail = (problem: string) => new KithError('BAD_SETTING', problem)
  if (holdOut !== undefined && !(holdOut >= 0 && holdOut < 1)) {
    throw fail(`setting holdOut must be a number from 0 to below 1, got ${holdOut}`)
  }
  const why = validation
    ? 'holdOut has no effect with validation queries, which are held out'
    : !testable && 'holdOut needs judgments of the training queries, or a teacher'
  if (!why) return holdOut ?? jobDefaults.holdOut
  if (holdOut) throw fail(`${why}; leave out holdOut`)
  return 0
}

/**
 * Holds out a fraction of the judged or taught queries. The selection depends only on the seed and
 * the ids, so that a resumed training holds out the same queries.
 *
 * @param use Describes the use of a number of held-out queries, for the remark.
 */
export function holdOutQueries<Q extends TrainingQuery>(
  queries: readonly Q[],
  qrels: Qrels,
  {
    part,
    by,
    seed = trainDefaults.seed,
  }: { part: number; by: MeasuredBy; seed?: number | undefined },
  { onRemark }: Hooks,
  use: (count: number) => string,
): { learned: readonly Q[]; heldOut: HeldOutQueries | undefined } {
  const count = Math.floor(queries.length * part)
  const all = `${queries.length} ${by === 'judgments' ? 'judged ' : ''}queries`
  if (count < FEWEST) {
    onRemark?.(
      `no queries are held out, because ${all} are too few; measure the result on other queries`,
    )
    return { learned: queries, heldOut: undefined }
  }
  onRemark?.(`${count} of ${all} are held out (seed ${seed})${use(count)}`)
  const [heldOut, learned] = drawn(queries, count, (id) => seededFraction(seed, `held out ${id}`))
  const judged = new Map(heldOut.map(({ id }) => [id, qrels.get(id)!]))
  return { learned, heldOut: { queries: heldOut, qrels: judged } }
}

/** Describes the use of held-out queries in a training by steps. */
export function useOfHeldOut(count: number): string {
  const choosing = choosingOf(count)
  const rest = 'to compare the model before and after'
  const use = choosing
    ? `: ${choosing} to choose the checkpoint, ${count - choosing} ${rest}`
    : ` ${rest}, too few to choose the checkpoint`
  return `${use}; holdOut 0 trains on all queries`
}

/**
 * Splits held-out queries: if there are enough, some choose the checkpoint, and the others test it.
 */
export function splitHeldOut(
  { queries, qrels }: HeldOutQueries,
  seed = trainDefaults.seed,
): { choosing: readonly TrainingQuery[] | undefined; testing: HeldOutQueries } {
  const draw = (id: string) => seededFraction(seed, `chooses the checkpoint ${id}`)
  const [choosing, testing] = drawn(queries, choosingOf(queries.length), draw)
  return {
    choosing: choosing.length > 0 ? choosing : undefined,
    testing: {
      queries: testing,
      qrels: new Map(testing.map(({ id }) => [id, qrels.get(id)!])),
    },
  }
}

/** Returns how many of the held-out queries choose the checkpoint. */
function choosingOf(heldOut: number): number {
  return heldOut < ENOUGH_TO_CHOOSE ? 0 : Math.floor(heldOut / 2)
}

/**
 * Selects `count` queries with the lowest draws; returns them and the others, both in their
 * original order.
 */
function drawn<Q extends TrainingQuery>(
  queries: readonly Q[],
  count: number,
  draw: (id: string) => number,
): [Q[], Q[]] {
  const lowest = queries
    .map((query) => ({ query, value: draw(query.id) }))
    .sort((a, b) => a.value - b.value)
    .slice(0, count)
  const chosen = new Set(lowest.map(({ query }) => query))
  return [
    queries.filter((query) => chosen.has(query)),
    queries.filter((query) => !chosen.has(query)),
  ]
}

/** Number of documents that a search returns for a held-out query. */
const TOP = 100
/** The measures of held-out queries. */
const MEASURES = [jobDefaults.measure, `nDCG@${TOP}`, `Recall@${TOP}`]

/**
 * Returns the measure that decides about a linear adapter: with about one label per query, nDCG@10
 * covers too few of the labels (experiments/adapter.mjs --study decision, on held-out training
 * queries).
 */
export function decisiveMeasure(qrels: Qrels): string {
  return isSparse(qrels) ? `nDCG@${TOP}` : jobDefaults.measure
}

/** Returns whether queries have about one relevant document each. */
export function isSparse(qrels: Qrels): boolean {
  const relevant = [...qrels.values()].map(
    (judged) => [...judged.values()].filter((grade) => grade > 0).length,
  )
  const labels = relevant.reduce((sum, count) => sum + count, 0)
  return labels <= 1.5 * relevant.length
}

/**
 * Compares searches with a model before and after its training, on queries it has not learned from.
 */
export interface HeldOutMeasures {
  /** Number of queries. */
  queries: number
  /** The means before and after, and a paired test of the difference, by measure. */
  measures: Readonly<Record<string, Comparison & { before: number; after: number }>>
}

/** The figures of held-out queries, with the source of their relevance. */
export interface HeldOutFigures extends HeldOutMeasures {
  /** The source of relevance: judgments, or the teacher's first documents. */
  by: MeasuredBy
  /** The file of the judgments, if any. */
  qrels: string | undefined
}

/** The models and documents for comparing held-out queries. */
interface HeldOutComparison {
  before: QueryModel
  after: QueryModel
  docs: Embeddings
  by: MeasuredBy
  /** The metric of the searches. */
  metric: Metric
  device: DeviceOptions
  /** The minimum grade of a relevant document. */
  level: number | undefined
  /** The folder to write the judgments of the held-out queries to. */
  out: string
}

/**
 * Searches all documents for held-out queries with the models before and after training, and writes
 * their judgments.
 */
export async function heldOutFigures(
  heldOut: HeldOutQueries,
  { before, after, docs, by, metric, device, level, out }: HeldOutComparison,
): Promise<HeldOutFigures> {
  const measured = async (model: QueryModel): Promise<Evaluation> => {
    const { QueryEncoder } = await loadTrain()
    const encoder = await QueryEncoder.open(model, device)
    const embeddings = await encoder.encode(heldOut.queries).finally(() => encoder.close())
    return searchFigures(heldOut, embeddings, { docs, metric, level })
  }
  const [old, now] = [await measured(before), await measured(after)]
  const qrels = by === 'judgments' ? join(out, 'held-out.trec') : undefined
  if (qrels !== undefined) await writeQrels(qrels, heldOut.qrels)
  return { queries: heldOut.queries.length, by, qrels, measures: comparedFigures(old, now) }
}

/**
 * Searches all documents for held-out queries with the given embeddings, and evaluates the result.
 */
export async function searchFigures(
  { queries, qrels }: HeldOutQueries,
  embeddings: Matrix,
  { docs, metric, level }: Pick<HeldOutComparison, 'docs' | 'metric' | 'level'>,
): Promise<Evaluation> {
  const found = await searchExact(embeddings, docs, { top: TOP, metric })
  const run = new RunBuilder()
  queries.forEach(({ id: query }, q) => {
    const [from, to] = [q * found.perQuery, (q + 1) * found.perQuery]
    const ids = Array.from(found.rows.subarray(from, to), (row) => docs.idOf(row))
    run.add({ query, ids, scores: found.scores.subarray(from, to) })
  })
  return evaluate(qrels, run.finish(), MEASURES, { level })
}

/** Returns the means of two evaluations, and a paired test of their difference, by measure. */
export function comparedFigures(old: Evaluation, now: Evaluation): HeldOutFigures['measures'] {
  const measures = MEASURES.map((name) => {
    const means = { before: old.mean[name]!, after: now.mean[name]! }
    return [name, { ...means, ...compare(old, now, name) }] as const
  })
  return Object.fromEntries(measures)
}
