import { join } from 'node:path'
import {
  type Comparison,
  compare,
  type Embeddings,
  type Evaluation,
  evaluate,
  RunBuilder,
  writeQrels,
} from '@kith/ir'
import { searchExact } from '@kith/stores'
import type { DeviceOptions, QueryModel } from '@kith/train'
import { jobDefaults } from '../job/job-defaults.ts'
import type { HeldOutQueries } from './hold-out.ts'
import { loadTrain } from './load-train.ts'

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
export interface HeldOutComparison {
  before: QueryModel
  after: QueryModel
  docs: Embeddings
  device: DeviceOptions
  /** From which grade on a document is relevant. */
  level: number | undefined
  /** The folder that gets the judgments of the held-out queries. */
  out: string
}

/** Searches all documents for held-out queries, before and after, and writes their judgments. */
export async function heldOutFigures(
  { queries, qrels }: HeldOutQueries,
  { before, after, docs, device, level, out }: HeldOutComparison,
): Promise<HeldOutFigures> {
  const { QueryEncoder } = await loadTrain()
  const names = [jobDefaults.measure, `Recall@${TOP}`]
  const measured = async (model: QueryModel): Promise<Evaluation> => {
    const encoder = await QueryEncoder.open(model, device)
    const embeddings = await encoder.encode(queries).finally(() => encoder.close())
    const found = await searchExact(embeddings, docs, { top: TOP })
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
