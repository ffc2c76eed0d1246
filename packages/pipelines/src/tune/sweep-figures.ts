import { cpus } from 'node:os'
import {
  type MethodSettings,
  Reranker,
  rerank,
  resolveLabelSettings,
  type Target,
} from '@kith/core'
import { injectGroundTruth, similaritySettings, tokenizerOf } from '@kith/core/internal'
import type { Embeddings, Qrels, Run } from '@kith/ir'
import type { Figure } from '@kith/report'
import type { SweptSetting, TrialCollection } from '@kith/tune'
import { timePerQuery, viewsOf, withStatistics } from '@kith/tune/internal'
import { Join } from '../join/join.ts'
import type { MissingPolicy, MissingReport } from '../join/missing.ts'

/** Maximum number of queries in a distribution: more would not change the figure. */
const MOST_QUERIES = 500

/** Number of ranks in a distribution. */
const RANKS = 100

/** Plots a measure against context size and against each setting. */
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

/** Plots the time per query against context size, on this machine. */
export function timeFigure(
  collection: TrialCollection,
  sizes: readonly number[],
  settings: MethodSettings,
): Figure {
  const machine = cpus()[0]?.model
  return { kind: 'time', points: timePerQuery(collection, sizes, settings), machine }
}

/** Plots how scores decrease with rank, as retrieved and reranked. */
export async function scoresFigure(
  run: Run,
  collection: TrialCollection,
  settings: MethodSettings,
): Promise<Figure> {
  const { quantilesPerRank } = await import('@kith/report/internal')
  const some = collection.list.slice(0, MOST_QUERIES)
  const before = some.map(({ id }) => Float32Array.from(run.get(id)!.scores).subarray(0, RANKS))
  const after = some.map((own) => {
    const all = withStatistics(collection, settings)
    const { scores } = rerank(...viewsOf(collection, own, tokenizerOf(all)), all)
    return scores.slice(0, Math.min(RANKS, settings.contextSize))
  })
  return {
    kind: 'scores-per-rank',
    before: quantilesPerRank(before),
    after: quantilesPerRank(after),
  }
}

/** The data for computing the spread of labels. */
interface LabelSources {
  run: Run
  qrels: Qrels
  queries: Embeddings
  docs: Embeddings
  /** The minimum grade of a relevant document. */
  level: number
}

/** A context of labels: rows of the embeddings, the ground truth first. */
interface SweepContext {
  query: number
  rows: readonly number[]
  /** Number of ground-truth rows. */
  truth: number
}

/**
 * Returns the contexts of judged queries; leaves out contexts too small for their ground truth.
 * Throws for judged documents without an embedding unless they may be skipped.
 */
export function labelContexts(
  { run, qrels, queries, docs, level }: LabelSources,
  size: number,
  missing: MissingPolicy,
  report: MissingReport,
): SweepContext[] {
  const join = new Join({ queries, docs }, missing, report)
  const contexts: SweepContext[] = []
  for (const { query: id, ids } of run) {
    const truth = join.truth(qrels.get(id), level).rows
    if (truth.length === 0 || truth.length > size) continue
    const query = join.query(id)
    if (query === undefined) continue
    const rows = injectGroundTruth(truth, join.candidates(ids, size).rows, size)
    contexts.push({ query, rows, truth: truth.length })
    if (contexts.length === MOST_QUERIES) break
  }
  join.check()
  return contexts
}

/** Plots how each kind of target distributes its probability over documents. */
export async function labelFigure(
  contexts: readonly SweepContext[],
  { queries, docs }: Pick<LabelSources, 'queries' | 'docs'>,
  settings: MethodSettings,
): Promise<Figure> {
  const { quantilesPerRank } = await import('@kith/report/internal')
  const reranker = new Reranker()
  const { views, mix, ...plain } = similaritySettings(settings)
  const labelMix = mix === 'words' ? undefined : mix
  const targets: readonly Target[] = ['mixed', 'geometric', 'rnn', 'query-centric', 'uniform']
  const kinds = targets.map((target) => {
    return {
      target,
      own: resolveLabelSettings({ ...plain, mix: labelMix, target }),
      lists: [] as Float64Array[],
    }
  })
  const { dimensions } = docs
  for (const { query, rows, truth } of contexts) {
    const vector = queries.read(query, query + 1)
    const data = docs.gather(rows, new Float32Array(rows.length * dimensions))
    const candidates = { data, rows: rows.length, dimensions }
    const relevant = Array.from({ length: truth }, (_, i) => i)
    for (const { own, lists } of kinds) {
      const labels = reranker.smoothLabels(vector, candidates, { candidates: relevant }, own)
      lists.push(Float64Array.from(labels.target).sort().reverse())
    }
  }
  const spreads = kinds.map(({ target, lists }) => {
    return { name: target, ranks: quantilesPerRank(lists, { ranks: 10, missing: 0 }) }
  })
  return { kind: 'label-spread', targets: spreads }
}
