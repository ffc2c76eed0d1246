/** Measures runs against judgments and compares them. */
export { type EvaluateInputs, type EvaluateResult, evaluateRuns } from './evaluate-runs.ts'
export type { CorrectedComparison, NamedEvaluation } from './evaluations.ts'
export { type Gate, gateFailures, parseGate } from './gate.ts'
