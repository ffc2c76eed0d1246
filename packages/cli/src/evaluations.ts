import { basename } from 'node:path'
import { type Comparison, compare, type Evaluation, holm } from '@kith/ir'

/** A run's name, its file and its figures. */
export interface NamedEvaluation {
  name: string
  file: string
  evaluation: Evaluation
}

/** A comparison with the first run, its p corrected for the number of runs. */
export interface CorrectedComparison extends Comparison {
  /** The randomisation test's p after Holm's correction; the same as before it for two runs. */
  p: number
}

/** For each run but the first: its comparison with the first, by measure. */
export function compareToFirst(
  runs: readonly NamedEvaluation[],
): ReadonlyMap<string, Readonly<Record<string, CorrectedComparison>>> {
  const [first, ...others] = runs
  const byRun = new Map(
    others.map(({ name }) => [name, {} as Record<string, CorrectedComparison>] as const),
  )
  if (!first) return byRun
  for (const measure of first.evaluation.measures) {
    const plain = others.map(({ evaluation }) => compare(first.evaluation, evaluation, measure))
    const corrected = holm(plain.map(({ randomisation }) => randomisation))
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

/** The mark of a significant difference. */
export function markOf(p: number): string {
  if (p < 0.01) return '**'
  return p < 0.05 ? '*' : ''
}
