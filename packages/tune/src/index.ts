/** Tunes settings, and gives a verdict on them: docs/method.md section 4. */
export type {
  Scorer,
  ScorerOptions,
  TrialCollection,
  TrialQuery,
  TrialTexts,
} from './evaluate/collection.ts'
export {
  createEvaluator,
  type Evaluator,
  type EvaluatorOptions,
  type QueryTime,
} from './evaluate/evaluator.ts'
export type { RunningTrial, SearchedTrial, StudyOptions } from './search/search.ts'
export type {
  ChoiceDimension,
  Condition,
  Dimension,
  FloatDimension,
  IntegerDimension,
  Parameters,
  Space,
  Value,
} from './search/space.ts'
export type { FinishedTrial, Recipe, Suggest } from './search/tpe.ts'

export { type SweepPoint, type SweptSetting, sweep } from './sweep.ts'
export {
  type FoldSettings,
  readTuned,
  type Tuned,
  type TuneOptions,
  tune,
  writeTuned,
} from './tune.ts'
export type { Decision, HeldOut, HeldOutValues, PairedTest, Verdict } from './verdict.ts'
