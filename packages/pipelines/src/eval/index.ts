/** Evaluates runs against judgments and compares them. */

export type { CorrectedComparison, NamedEvaluation } from './evaluate-runs.ts'
export { type EvaluateInputs, type EvaluateResult, evaluateRuns } from './evaluate-runs.ts'
