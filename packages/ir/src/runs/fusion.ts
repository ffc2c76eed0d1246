import { KithError } from '@kith/core'
import { type RankedQuery, type Run, RunBuilder } from './run.ts'

/**
 * Merges runs by reciprocal rank fusion: the score of a document is the sum of 1 / (k + rank) over
 * the runs.
 *
 * ```ts
 * const fused = fuseRanks([run, await readRun('bm25.trec')])
 * ```
 */
export function fuseRanks(
  runs: readonly Run[],
  { k = 60, weights }: { k?: number | undefined; weights?: readonly number[] | undefined } = {},
): Run {
  if (!(k >= 0)) throw new KithError('BAD_SETTING', `k must be a number of at least 0, got ${k}`)
  return fuse(runs, weights, ({ ids }) => ({
    values: ids.map((_, i) => 1 / (k + i + 1)),
    missing: 0,
  }))
}

/** The method that makes scores of different runs comparable, per query. */
export type ScoreNormalization = 'min-max' | 'z'

/**
 * Merges runs by the weighted sum of their normalized scores. A document that is missing in a run
 * gets 0 with `min-max`, and the score of the run's last document with `z`.
 *
 * ```ts
 * const fused = fuseScores([run, await readRun('bm25.trec')], { weights: [0.7, 0.3] })
 * ```
 */
export function fuseScores(
  runs: readonly Run[],
  {
    normalization = 'min-max',
    weights,
  }: {
    normalization?: ScoreNormalization | undefined
    weights?: readonly number[] | undefined
  } = {},
): Run {
  const normalize = normalizations[normalization]
  if (!normalize) {
    const allowed = Object.keys(normalizations).join(', ')
    throw new KithError(
      'BAD_SETTING',
      `normalization must be one of ${allowed}, got ${normalization}`,
    )
  }
  return fuse(runs, weights, ({ scores }) => normalize(scores))
}

/** A run's scores for a query's documents, and the score for a document missing in the run. */
interface Votes {
  values: ArrayLike<number>
  missing: number
}

const normalizations: Record<ScoreNormalization, (scores: ArrayLike<number>) => Votes> = {
  /**
   * Scales scores to 0 to 1; all are 1 if the scores are equal: a single document is not a bad one.
   */
  'min-max'(scores) {
    const highest = scores[0]!
    const lowest = scores[scores.length - 1]!
    const range = highest - lowest
    const values = Array.from(scores, (score) => (range > 0 ? (score - lowest) / range : 1))
    return { values, missing: 0 }
  },

  /** Scales scores to mean 0 and standard deviation 1; all are 0 if the scores are equal. */
  z(scores) {
    const all = Array.from(scores)
    const mean = all.reduce((sum, score) => sum + score, 0) / all.length
    const variance = all.reduce((sum, score) => sum + (score - mean) ** 2, 0) / all.length
    const deviation = Math.sqrt(variance)
    const values = all.map((score) => (deviation > 0 ? (score - mean) / deviation : 0))
    return { values, missing: values.at(-1)! }
  },
}

function fuse(
  runs: readonly Run[],
  weights: readonly number[] = runs.map(() => 1),
  vote: (ranking: RankedQuery) => Votes,
): Run {
  if (runs.length === 0) throw new KithError('BAD_INPUT', 'fusion needs at least one run')
  if (weights.length !== runs.length) {
    throw new KithError(
      'BAD_SHAPE',
      `expected ${runs.length} weights, one per run, got ${weights.length}`,
    )
  }
  const wrong = weights.find((weight) => !Number.isFinite(weight))
  if (wrong !== undefined)
    throw new KithError('BAD_SETTING', `weights must be finite numbers, got ${wrong}`)
  const builder = new RunBuilder()
  for (const query of new Set(runs.flatMap((run) => run.queries))) {
    const rankings = runs.map((run) => run.get(query))
    const votes = rankings.map((ranking) => ranking && vote(ranking))
    // The score of a document that no run has; each run that has the document corrects its own
    // part.
    const missing = votes.reduce((sum, v, r) => sum + weights[r]! * (v?.missing ?? 0), 0)
    const sums = new Map<string, number>()
    rankings.forEach((ranking, r) => {
      ranking?.ids.forEach((id, i) => {
        const part = weights[r]! * (votes[r]!.values[i]! - votes[r]!.missing)
        sums.set(id, (sums.get(id) ?? missing) + part)
      })
    })
    builder.add({ query, ids: [...sums.keys()], scores: [...sums.values()] })
  }
  return builder.finish()
}
