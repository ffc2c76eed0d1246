/** Tunes settings for a dataset on its judged queries. */
export { type Collected, type CollectInputs, collect, type TextsById } from './collect.ts'
export type { JudgedInputs } from './judged-collection.ts'
export { type SweepInputs, type SweepResult, sweepRun } from './sweep-run.ts'
export { type TuneInputs, type TuneResult, tuneRun } from './tune-run.ts'
