import { join } from 'node:path'
import { seededFraction } from '@kith/base/random'
import { KithError } from '@kith/core'
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

/** Fewer held-out queries than this are no test of anything. */
const FEWEST = 2

/** Queries that a training does not learn from, with all their judgments. */
export interface HeldOutQueries {
  queries: readonly TrainingQuery[]
  qrels: Qrels
}

/** The part of the judged training queries to hold out; throws where there is nothing to hold out. */
export function holdOutOf({
  holdOut,
  training,
  validation,
}: Pick<TrainingInputs, 'holdOut' | 'training' | 'validation'>): number {
  const fail = (problem: string) => new KithError('BAD_SETTING', problem)
  if (holdOut !== undefined && !(holdOut >= 0 && holdOut < 1)) {
    throw fail(`holdOut is ${holdOut}, allowed: from 0 to below 1`)
  }
  const why = validation
    ? 'the validation queries are held out already'
    : training.qrels === undefined && 'the training queries have no judgments to be tested by'
  if (!why) return holdOut ?? jobDefaults.holdOut
  if (holdOut) throw fail(`${why}: leave out holdOut`)
  return 0
}

/**
 * Holds a part of the judged queries out of a training. The seed and the ids alone decide which, so
 * that a training that is resumed has the same ones.
 */
export function holdOutQueries(
  queries: readonly TrainingQuery[],
  qrels: Qrels,
  { part, seed = trainDefaults.seed }: { part: number; seed?: number | undefined },
  { onRemark }: Hooks,
): { learned: readonly TrainingQuery[]; heldOut: HeldOutQueries | undefined } {
  const count = Math.floor(queries.length * part)
  if (count < FEWEST) {
    onRemark?.(
      `no queries are held out: ${queries.length} judged queries are too few, so judge the result on other queries`,
    )
    return { learned: queries, heldOut: undefined }
  }
  const drawn = queries
    .map((query) => ({ query, draw: seededFraction(seed, `held out ${query.id}`) }))
    .sort((a, b) => a.draw - b.draw)
    .slice(0, count)
  const out = new Set(drawn.map(({ query }) => query))
  onRemark?.(
    `${count} of ${queries.length} judged queries are held out (seed ${seed}) to compare the model before and after on; holdOut 0 trains on all`,
  )
  const heldOut = queries.filter((query) => out.has(query))
  return {
    learned: queries.filter((query) => !out.has(query)),
    heldOut: {
      queries: heldOut,
      qrels: new Map(heldOut.map(({ id }) => [id, qrels.get(id)!])),
    },
  }
}

/** Documents that a search finds for a held-out query. */
const TOP = 100

/** How a search with a model compares with one from before its training, on queries it has not learned from. */
export interface HeldOutFigures {
  /** How many queries there are. */
  queries: number
  /** The file of their judgments. */
  qrels: string
  /** By measure: the means before and after, and a paired test of the difference. */
  measures: Readonly<Record<string, Comparison & { before: number; after: number }>>
}

/** The models and the documents that held-out queries are compared with. */
interface HeldOutComparison {
  before: QueryModel
  after: QueryModel
  docs: Embeddings
  /** The metric of the searches. */
  metric: Metric
  device: DeviceOptions
  /** From which grade on a document is relevant. */
  level: number | undefined
  /** The folder that gets the judgments of the held-out queries. */
  out: string
}

/** Searches all documents for held-out queries, before and after, and writes their judgments. */
export async function heldOutFigures(
  { queries, qrels }: HeldOutQueries,
  { before, after, docs, metric, device, level, out }: HeldOutComparison,
): Promise<HeldOutFigures> {
  const { QueryEncoder } = await loadTrain()
  const names = [jobDefaults.measure, `Recall@${TOP}`]
  const measured = async (model: QueryModel): Promise<Evaluation> => {
    const encoder = await QueryEncoder.open(model, device)
    const embeddings = await encoder.encode(queries).finally(() => encoder.close())
    const found = await searchExact(embeddings, docs, { top: TOP, metric })
    const run = new RunBuilder()
    queries.forEach(({ id: query }, q) => {
      const [from, to] = [q * found.perQuery, (q + 1) * found.perQuery]
      const ids = Array.from(found.rows.subarray(from, to), (row) => docs.idOf(row))
      run.add({ query, ids, scores: found.scores.subarray(from, to) })
    })
    return evaluate(qrels, run.finish(), names, { level })
  }
  const [old, now] = [await measured(before), await measured(after)]
  const file = join(out, 'held-out.trec')
  await writeQrels(file, qrels)
  const measures = names.map((name) => {
    const means = { before: old.mean[name]!, after: now.mean[name]! }
    return [name, { ...means, ...compare(old, now, name) }] as const
  })
  return { queries: queries.length, qrels: file, measures: Object.fromEntries(measures) }
}
