/** Finding settings, and an honest verdict on them: docs/method.md section 4. */
export { type Collected, type CollectInputs, collect, type TextsById } from './collect.ts'
export {
  type SharedTexts,
  shareTexts,
  type TrialCollection,
  type TrialQuery,
  textAt,
} from './collection.ts'
export { createEvaluator, type Evaluator, type EvaluatorOptions } from './evaluator.ts'
export { splitFolds } from './folds.ts'
export { type PairedTest, pairedTest } from './paired-test.ts'
export { suggestEvenly } from './random-search.ts'
export { createScorer, type Scorer, type ScorerOptions } from './scorer.ts'
export { type RunningTrial, type SearchedTrial, type SearchOptions, search } from './search.ts'
export { settingSpace, settingsOf } from './setting-space.ts'
export type {
  ChoiceDimension,
  Condition,
  Dimension,
  FloatDimension,
  IntegerDimension,
  Parameters,
  Space,
  Value,
} from './space.ts'
export { type FinishedTrial, type Recipe, ROUND, type Suggest } from './suggest.ts'
export { type SweepPoint, type SweptSetting, sweep } from './sweep.ts'
export { type QueryTime, timePerQuery } from './time-per-query.ts'
export { suggestTpe } from './tpe.ts'
export { viewsOf } from './trial-views.ts'
export { type TuneOptions, tune } from './tune.ts'
export { parseTuned, readTuned, type Tuned, writeTuned } from './tuned.ts'
export {
  type Decision,
  FEW_QUERIES,
  type HeldOut,
  type HeldOutValues,
  judge,
  type Verdict,
} from './verdict.ts'
