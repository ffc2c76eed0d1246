/** Finding settings, and an honest verdict on them: docs/method.md section 4. */
export {
  createScorer,
  type Scorer,
  type ScorerOptions,
  type TrialCollection,
  type TrialQuery,
  type TrialTexts,
  viewsOf,
  withStatistics,
} from './evaluate/collection.ts'
export {
  createEvaluator,
  type Evaluator,
  type EvaluatorOptions,
  type QueryTime,
  timePerQuery,
} from './evaluate/evaluator.ts'
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
export {
  type FinishedTrial,
  type Recipe,
  ROUND,
  type Suggest,
  suggestEvenly,
  suggestTpe,
} from './search/tpe.ts'
export { splitFolds } from './settings/search-settings.ts'
export { settingSpace, settingsOf } from './settings/setting-space.ts'
export { type SweepPoint, type SweptSetting, sweep } from './sweep.ts'
export {
  type FoldSettings,
  parseTuned,
  readTuned,
  type Tuned,
  type TuneOptions,
  tune,
  tuneDefaults,
  writeTuned,
} from './tune.ts'
export {
  type Decision,
  FEW_QUERIES,
  type HeldOut,
  type HeldOutValues,
  judge,
  type PairedTest,
  pairedTest,
  type Verdict,
} from './verdict.ts'
