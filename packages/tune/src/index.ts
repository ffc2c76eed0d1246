/** Finding settings, and an honest verdict on them: docs/method.md section 4. */
export type { TrialCollection, TrialQuery, TrialTexts } from './evaluate/collection.ts'
export { createEvaluator, type Evaluator, type EvaluatorOptions } from './evaluate/evaluator.ts'
export { createScorer, type Scorer, type ScorerOptions } from './evaluate/scorer.ts'
export { type QueryTime, timePerQuery } from './evaluate/time-per-query.ts'
export { suggestEvenly } from './search/random-search.ts'
export {
  type RunningTrial,
  type SearchedTrial,
  type SearchOptions,
  search,
} from './search/search.ts'
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
export { type FinishedTrial, type Recipe, ROUND, type Suggest } from './search/suggest.ts'
export { suggestTpe } from './search/tpe.ts'
export { settingSpace, settingsOf } from './settings/setting-space.ts'
export { viewsOf, withStatistics } from './settings/trial-views.ts'
export { splitFolds } from './study/folds.ts'
export { type SweepPoint, type SweptSetting, sweep } from './sweep.ts'
export { type FoldSettings, type TuneOptions, tune, tuneDefaults } from './tune.ts'
export { type PairedTest, pairedTest } from './verdict/paired-test.ts'
export { parseTuned, readTuned, type Tuned, writeTuned } from './verdict/tuned.ts'
export {
  type Decision,
  FEW_QUERIES,
  type HeldOut,
  type HeldOutValues,
  judge,
  type Verdict,
} from './verdict/verdict.ts'
