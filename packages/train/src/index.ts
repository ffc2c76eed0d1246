/** CODER fine-tuning of query encoders and query adapters: docs/method.md section 7. */
export { adamw } from './adamw.ts'
export {
  type AdapterKind,
  AdapterModel,
  type AdapterOptions,
  openAdapter,
} from './adapter-model.ts'
export { backward } from './backward.ts'
export { candidatesOf } from './candidates.ts'
export {
  EncoderModel,
  type EncoderModelOptions,
  openEncoderModel,
  type QueryTexts,
} from './encoder-model.ts'
export type { Search } from './examples.ts'
export { modelIdentity } from './identity.ts'
export type { Loss } from './losses.ts'
export {
  type MetricsRecord,
  readMetrics,
  type StepRecord,
  type ValidationRecord,
} from './metrics.ts'
export { Optimiser, type OptimiserSettings } from './optimiser.ts'
export { QueryEncoder } from './query-encoder.ts'
export type { Query, QueryBatch, QueryGraph, QueryModel } from './query-model.ts'
export { radam } from './radam.ts'
export type { DeviceOptions } from './session.ts'
export { type PartialTrainSettings, resolveTrainSettings, type TrainSettings } from './settings.ts'
export { FixedLabels, type Labeller, LiveLabels, type TargetList } from './targets.ts'
export { type TrainingJob, train } from './train.ts'
export { type QueriesMade, type QuerySources, trainingQueries } from './training-queries.ts'
export type { DocumentVectors, TrainingQuery } from './training-query.ts'
export type { TrainingHooks, TrainingResult } from './training-run.ts'
export { TrainingStep, type TrainingStepSettings } from './training-step.ts'
export { MEASURES, type Validation, validate } from './validate.ts'
