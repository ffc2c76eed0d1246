import { basename } from 'node:path'
import {
  type Comparison,
  type ComparisonOptions,
  compare,
  type Evaluation,
  type Qrels,
} from '@kith/ir'
import { holm } from '@kith/ir/internal'
import { countLearned, type LearnedQueries, learnedBehind } from '../files/learned-queries.ts'
import type { Hooks } from '../job/hooks.ts'

/** A run's name, its file, if it has one, and its figures. */
export interface NamedEvaluation {
  name: string
  file?: string | undefined
  evaluation: Evaluation
}

/** A comparison with the first run, its p corrected for the number of runs. */
export interface CorrectedComparison extends Comparison {
  /** The randomization test's p after Holm's correction; the same as before it for two runs. */
  p: number
}

/** For each run but the first: its comparison with the first, by measure. */
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

/** Short names for files: their last part, or the whole path where that is not unique. */
export function namesOf(files: readonly string[]): string[] {
  const short = files.map((file) => basename(file))
  return short.map((name, i) =>
    short.filter((other) => other === name).length > 1 ? files[i]! : name,
  )
}

/** Warns where runs are judged on queries that a model or settings behind them were learned from. */
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
  return `${count} of ${of} judged queries were used to ${how} ${what} (${judgments}), which is behind this run, so that its figures are too good: judge it on other queries`
}
