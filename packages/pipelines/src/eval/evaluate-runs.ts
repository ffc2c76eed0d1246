import { basename } from 'node:path'
import { FileError, readLines } from '@kith/base'
import { KithError } from '@kith/core'
import {
  type Comparison,
  type ComparisonOptions,
  compare,
  type Evaluation,
  evaluate,
  type Qrels,
  type Run,
  readQrels,
  readRun,
} from '@kith/ir'
import { evaluateRun, holm } from '@kith/ir/internal'
import { countLearned, type LearnedQueries, learnedBehind } from '../files/learned-queries.ts'
import type { Hooks } from '../job/hooks.ts'
import { usualMeasures } from '../job/job-defaults.ts'
import type { Measuring } from '../rerank/rerank-figures.ts'
import { gateFailures, parseGate } from './gate.ts'

/** The runs to evaluate, and the judgments. */
export interface EvaluateInputs extends Measuring {
  qrels: string
  /** The runs; the first run is the baseline for comparisons. */
  runs: readonly string[]
  /**
   * A file with the cluster of each query: significance tests treat the queries of a cluster as
   * one.
   */
  clusters?: string | undefined
  /**
   * The condition under which a run fails: `significant` if it is significantly worse than the
   * first run (p < 0.05), or `drop:0.01` if its mean is lower by more than 0.01. Judged queries
   * that a run lacks count as 0.
   */
  failOn?: string | undefined
}

/** The figures of runs, and their comparisons with the first run. */
export interface EvaluateResult {
  evaluations: NamedEvaluation[]
  /** The comparisons by run name and measure; p is corrected for the number of runs. */
  comparisons: ReadonlyMap<string, Readonly<Record<string, CorrectedComparison>>>
  /** One sentence for each run whose model or settings were learned from some of the queries. */
  warnings: string[]
  /** With `failOn`: one sentence for each measure by which a run fails; empty if all runs pass. */
  failures?: string[] | undefined
}

/**
 * Evaluates runs against judgments, as trec_eval does, and compares each run with the first. Warns
 * about runs whose models or settings were learned from some of the queries.
 *
 * ```ts
 * const { evaluations } = await evaluateRuns({ qrels: 'qrels.trec', runs: ['run.trec',
 * 'better.trec'] })
 * ```
 */
export async function evaluateRuns(
  inputs: EvaluateInputs,
  hooks: Hooks = {},
): Promise<EvaluateResult> {
  const { runs: files, measures = usualMeasures, failOn, ...options } = inputs
  const gate = failOn === undefined ? undefined : parseGate(failOn)
  if (gate) {
    options.complete = true
    if (files.length === 1) throw new KithError('BAD_INPUT', 'failOn needs two runs to compare')
  }
  const qrels = await readQrels(inputs.qrels)
  const names = namesOf(files)
  const evaluations: NamedEvaluation[] = []
  for (const [i, file] of files.entries()) {
    const evaluation = await evaluateRun(qrels, file, measures, options)
    evaluations.push({ name: names[i]!, file, evaluation })
  }
  const warnings = await warnLearned(evaluations, qrels, hooks)
  const clusters = inputs.clusters === undefined ? undefined : await readClusters(inputs.clusters)
  const comparisons = compareToFirst(evaluations, { clusters })
  return {
    evaluations,
    comparisons,
    warnings,
    failures: gate && gateFailures({ comparisons }, gate),
  }
}

/**
 * Evaluates runs without comparing them; returns the figures and all inputs, with the runs in
 * memory.
 */
export async function measureRuns({
  qrels: qrelsFile,
  runs: files,
  ...measuring
}: EvaluateInputs): Promise<{ evaluations: NamedEvaluation[]; runs: Run[]; qrels: Qrels }> {
  const qrels = await readQrels(qrelsFile)
  const runs: Run[] = []
  for (const file of files) runs.push(await readRun(file))
  return { evaluations: measureInMemory(qrels, files, runs, measuring), runs, qrels }
}

/** Evaluates runs in memory, named by their files. */
export function measureInMemory(
  qrels: Qrels,
  files: readonly string[],
  runs: readonly Run[],
  { measures = usualMeasures, ...options }: Measuring,
): NamedEvaluation[] {
  const names = namesOf(files)
  return runs.map((run, i) => {
    const evaluation = evaluate(qrels, run, measures, options)
    return { name: names[i]!, file: files[i]!, evaluation }
  })
}

/**
 * Reads the clusters of queries: lines of query, tab, cluster; skips a header such as `query-id`.
 */
async function readClusters(file: string): Promise<Map<string, string>> {
  const clusters = new Map<string, string>()
  const pairs = readLines(file, (text, line) => {
    if (text.trim() === '' || (line === 1 && text.startsWith('query-id\t'))) return undefined
    const [query, cluster, ...more] = text.trimEnd().split('\t')
    if (!query || !cluster || more.length > 0) {
      throw new FileError(
        file,
        `line ${line}`,
        'expected two tab-separated columns, query and cluster',
      )
    }
    return { query, cluster, line }
  })
  for await (const { query, cluster, line } of pairs) {
    if (clusters.has(query))
      throw new FileError(
        file,
        `line ${line}`,
        `query ${query} occurs twice; give each query one cluster`,
      )
    clusters.set(query, cluster)
  }
  return clusters
}

/** The name, the file (if any) and the figures of a run. */
export interface NamedEvaluation {
  name: string
  file?: string | undefined
  evaluation: Evaluation
}

/** A comparison with the first run, with p corrected for the number of runs. */
export interface CorrectedComparison extends Comparison {
  /** The randomization test's p after Holm's correction, which changes nothing for two runs. */
  p: number
}

/** Compares each run with the first run, by measure. */
export function compareToFirst(
  runs: readonly NamedEvaluation[],
  options: Pick<ComparisonOptions, 'clusters'> = {},
): ReadonlyMap<string, Readonly<Record<string, CorrectedComparison>>> {
  const [first, ...others] = runs
  const byRun = new Map(
    others.map(({ name }) => [name, {} as Record<string, CorrectedComparison>] as const),
  )
  if (!first) return byRun
  for (const measure of first.evaluation.measures) {
    const plain = others.map(({ evaluation }) =>
      compare(first.evaluation, evaluation, measure, options),
    )
    const corrected = holm(plain.map(({ randomization }) => randomization))
    others.forEach(({ name }, i) => {
      byRun.get(name)![measure] = { ...plain[i]!, p: corrected[i]! }
    })
  }
  return byRun
}

/**
 * Returns short names for files: the last part of the path, or the whole path if that is not
 * unique.
 */
export function namesOf(files: readonly string[]): string[] {
  const short = files.map((file) => basename(file))
  return short.map((name, i) =>
    short.filter((other) => other === name).length > 1 ? files[i]! : name,
  )
}

/**
 * Warns about runs that are evaluated on queries from which their models or settings were learned.
 */
export async function warnLearned(
  evaluations: readonly NamedEvaluation[],
  qrels: Qrels,
  { onRemark, onWarning = onRemark }: Hooks,
): Promise<string[]> {
  const warnings: string[] = []
  for (const { name, file, evaluation } of evaluations) {
    if (file === undefined) continue
    for (const entry of await learnedBehind([file])) {
      const count = countLearned(entry, evaluation.queries, qrels)
      if (count > 0)
        warnings.push(`${name}: ${sentenceOf(entry, count, evaluation.queries.length)}`)
    }
  }
  for (const warning of warnings) onWarning?.(warning)
  return warnings
}

function sentenceOf({ how, what, judgments }: LearnedQueries, count: number, of: number): string {
  return `${count} of ${of} judged queries were used to ${how} ${what} (${judgments}), which made this run, so its measures are too high; measure the run on other queries`
}
