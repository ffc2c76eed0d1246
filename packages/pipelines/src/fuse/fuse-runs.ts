import { KithError } from '@kith/core'
import { choice, range } from '@kith/core/internal'
import {
  fuseRanks,
  fuseScores,
  type RankedQuery,
  type Run,
  RunBuilder,
  readQrels,
  readRun,
  writeRun,
} from '@kith/ir'
import {
  compareToFirst,
  type EvaluateResult,
  measureInMemory,
  warnLearned,
} from '../eval/evaluate-runs.ts'
import { writeSidecar } from '../files/sidecar.ts'
import { type Hooks, stageOf } from '../job/hooks.ts'
import { type Fusion, fusions, jobDefaults } from '../job/job-defaults.ts'
import type { Measuring } from '../rerank/rerank-figures.ts'

export type { Fusion } from '../job/job-defaults.ts'

/** The inputs of a fusion. */
export interface FuseInputs {
  /** The runs to fuse. */
  runs: readonly string[]
  /** The run to write. */
  out: string
  /** The fusion method. Default: `rrf`. */
  method?: Fusion | undefined
  /** The constant that `rrf` adds to ranks; default 60, as published. */
  rrfK?: number | undefined
  /** One weight per run, in the order of the runs; default: all 1. */
  weights?: readonly number[] | undefined
  /** Number of documents per query; default: all documents of all runs. */
  top?: number | undefined
  /** Judgments, for the figures of each run and of the fused run. */
  qrels?: string | undefined
  measuring?: Measuring | undefined
}

/** The result of a fusion. */
export interface FuseResult {
  out: string
  /** Number of queries in at least one of the runs. */
  queries: number
  /**
   * With judgments: the figures of the runs and of the fused run, each compared with the first run.
   */
  figures?: EvaluateResult | undefined
}

/**
 * Fuses several runs into one, for example runs of a dense and a lexical search, or of several
 * encoders.
 *
 * ```ts
 * await fuseRuns({ runs: ['dense.trec', 'bm25.trec'], out: 'fused.trec' })
 * ```
 */
export async function fuseRuns(inputs: FuseInputs, hooks: Hooks = {}): Promise<FuseResult> {
  const { runs: files, out, method = 'rrf', weights, top, measuring = {} } = inputs
  checkInputs(inputs)
  const { rrfK = jobDefaults.rrfK } = inputs
  const qrels = inputs.qrels === undefined ? undefined : await readQrels(inputs.qrels)
  const onRead = stageOf(hooks, 'reading', files.length)
  const runs: Run[] = []
  for (const file of files) onRead(runs.push(await readRun(file)))
  const all =
    method === 'rrf'
      ? fuseRanks(runs, { k: rrfK, weights })
      : fuseScores(runs, { normalization: method, weights })
  // Evaluations compare scores in single precision: sums that differ only by rounding are ties,
  // independent of the order of the runs.
  const fused = firstOf(runOf(singlePrecision(all)), top)
  await writeRun(out, singlePrecision(fused))
  const settings = { method, ...(method === 'rrf' ? { rrfK } : {}), weights, top }
  await writeSidecar(out, 'fuse', settings, files)
  const result = { out, queries: fused.queries.length }
  if (!qrels) return result
  const evaluations = measureInMemory(qrels, [...files, out], [...runs, fused], measuring)
  const warnings = await warnLearned(evaluations, qrels, hooks)
  return { ...result, figures: { evaluations, comparisons: compareToFirst(evaluations), warnings } }
}

function checkInputs({ method = 'rrf', rrfK, top }: FuseInputs): void {
  choice(...fusions)('method', method)
  if (top !== undefined) range({ from: 1, integer: true })('top', top)
  if (rrfK === undefined || method === 'rrf') return
  throw new KithError(
    'BAD_SETTING',
    `setting rrfK works only with method: 'rrf', got method '${method}'; leave out rrfK`,
  )
}

/** Returns a run with the first documents of each query. */
function firstOf(run: Run, top: number | undefined): Run {
  if (top === undefined) return run
  return runOf(Array.from(run, (ranking) => ({ ...ranking, ids: ranking.ids.slice(0, top) })))
}

function runOf(rankings: Iterable<RankedQuery>): Run {
  const builder = new RunBuilder()
  for (const ranking of rankings) builder.add(ranking)
  return builder.finish()
}

function* singlePrecision(run: Run): Generator<RankedQuery> {
  for (const ranking of run) yield { ...ranking, scores: Float32Array.from(ranking.scores) }
}
