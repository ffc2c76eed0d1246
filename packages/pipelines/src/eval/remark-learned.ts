import { countLearned, type LearnedQueries, learnedBehind } from '../files/learned-queries.ts'
import type { Hooks } from '../job/hooks.ts'
import type { NamedEvaluation } from './evaluations.ts'

/** Warns where runs are judged on queries that a model or settings behind them were learned from. */
export async function remarkLearned(
  evaluations: readonly NamedEvaluation[],
  { onRemark }: Hooks,
): Promise<void> {
  if (!onRemark) return
  for (const { name, file, evaluation } of evaluations) {
    if (file === undefined) continue
    for (const entry of await learnedBehind([file])) {
      const count = countLearned(entry, evaluation.queries)
      if (count > 0) onRemark(`${name}: ${sentenceOf(entry, count, evaluation.queries.length)}`)
    }
  }
}

function sentenceOf({ how, what, judgments }: LearnedQueries, count: number, of: number): string {
  return `${count} of ${of} judged queries were used to ${how} ${what} (${judgments}), which is behind this run, so that its figures are too good: judge it on other queries`
}
