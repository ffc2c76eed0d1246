import { cpus } from 'node:os'
import {
  injectGroundTruth,
  type Matrix,
  type MethodSettings,
  Reranker,
  rerank,
  resolveLabelSettings,
  similaritySettings,
  type Target,
} from '@kith/core'
import type { Embeddings, Qrels, Run } from '@kith/ir'
import type { Figure } from '@kith/report'
import { type SweptSetting, type TrialCollection, timePerQuery, viewsOf } from '@kith/tune'

/** Queries that distributions are taken over: more would not change the picture. */
const MOST_QUERIES = 500

/** How many ranks a distribution is drawn for. */
const RANKS = 100

/** A measure against context size and against each setting. */
export function settingFigures(
  swept: readonly SweptSetting[],
  measure: string,
  baseline: number,
): Figure[] {
  return swept.map(({ setting, chosen, points }): Figure => {
    if (setting !== 'contextSize') {
      return { kind: 'setting', measure, setting, points, chosen, baseline }
    }
    const sizes = points.map(({ value, mean, margin }) => ({ size: Number(value), mean, margin }))
    return { kind: 'context-size', measure, points: sizes, baseline, chosen: Number(chosen) }
  })
}

/** The time per query against context size, on this machine. */
export function timeFigure(
  collection: TrialCollection,
  sizes: readonly number[],
  settings: MethodSettings,
): Figure {
  const machine = cpus()[0]?.model
  return { kind: 'time', points: timePerQuery(collection, sizes, settings), machine }
}

/** How scores fall from rank to rank, as retrieved and reranked. */
export async function scoresFigure(
  run: Run,
  collection: TrialCollection,
  settings: MethodSettings,
): Promise<Figure> {
  const { quantilesPerRank } = await import('@kith/report')
  const some = collection.list.slice(0, MOST_QUERIES)
  const before = some.map(({ id }) => Float32Array.from(run.get(id)!.scores).subarray(0, RANKS))
  const after = some.map((own) => {
    const { scores } = rerank(...viewsOf(collection, own), settings)
    return scores.slice(0, Math.min(RANKS, settings.contextSize))
  })
  return {
    kind: 'scores-per-rank',
    before: quantilesPerRank(before),
    after: quantilesPerRank(after),
  }
}

/** How each kind of target spreads its probability over documents. */
export async function labelFigure(
  inputs: { run: Run; qrels: Qrels; queries: Embeddings; docs: Embeddings; level: number },
  settings: MethodSettings,
): Promise<Figure> {
  const { quantilesPerRank } = await import('@kith/report')
  const targets: readonly Target[] = ['mixed', 'geometric', 'rnn', 'query-centric', 'uniform']
  const contexts = labelContexts(inputs, settings.contextSize)
  const reranker = new Reranker()
  const { views, ...plain } = similaritySettings(settings)
  const spreads = targets.map((target) => {
    const own = resolveLabelSettings({ ...plain, target })
    const lists = contexts.map(({ query, candidates, truth }) => {
      const labels = reranker.smoothLabels(query, candidates, { candidates: truth }, own)
      return Float64Array.from(labels.target).sort().reverse()
    })
    return { name: target, ranks: quantilesPerRank(lists, { ranks: 10, missing: 0 }) }
  })
  return { kind: 'label-spread', targets: spreads }
}

/** The contexts of judged queries, the ground truth first; those it does not fit are left out. */
function labelContexts(
  {
    run,
    qrels,
    queries,
    docs,
    level,
  }: { run: Run; qrels: Qrels; queries: Embeddings; docs: Embeddings; level: number },
  size: number,
): { query: Float32Array; candidates: Matrix; truth: number[] }[] {
  const contexts = []
  for (const { query, ids } of run) {
    const row = queries.rowOf(query)
    const judged = [...(qrels.get(query) ?? [])].filter(([, grade]) => grade >= level)
    const rowsOf = (list: readonly string[]): number[] => list.flatMap((id) => docs.rowOf(id) ?? [])
    const truth = rowsOf(judged.map(([id]) => id))
    if (row === undefined || truth.length === 0 || truth.length > size) continue
    const rows = injectGroundTruth(truth, rowsOf(ids), size)
    const { dimensions } = docs
    const data = new Float32Array(rows.length * dimensions)
    docs.gather(rows, data)
    const candidates = { data, rows: rows.length, dimensions }
    const vector = queries.read(row, row + 1, new Float32Array(dimensions))
    contexts.push({ query: vector, candidates, truth: [...truth.keys()] })
    if (contexts.length === MOST_QUERIES) break
  }
  return contexts
}
