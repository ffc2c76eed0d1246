/** CODER fine-tuning of query encoders and query adapters: docs/method.md section 7. */

export type { RecipeName } from './adapter/recipes.ts'

export type { Relabel, Search } from './data/examples.ts'
export type { Labeler, TargetList } from './data/targets.ts'
export type { DocumentVectors, TrainingQuery } from './data/training-query.ts'

export type { DeviceOptions } from './graph/session.ts'
export type { Loss } from './losses.ts'
export {
  type AdapterKind,
  AdapterModel,
  type AdapterOptions,
  openAdapter,
} from './models/adapter-model.ts'
export {
  type EncoderModelOptions,
  openEncoderModel,
  type QueryTexts,
} from './models/encoder-model.ts'
export { QueryEncoder } from './models/query-encoder.ts'
export type { Query, QueryBatch, QueryGraph, QueryModel } from './models/query-model.ts'
export type { OptimizerSettings } from './optimizer/optimizer.ts'
export {
  type MetricsRecord,
  readMetrics,
  type StepRecord,
  type ValidationRecord,
} from './run/metrics.ts'
export type { TrainingHooks, TrainingResult } from './run/training-run.ts'
export type { TrainingStepSettings } from './run/training-step.ts'
export type { Validation } from './run/validate.ts'
export type { PartialTrainSettings, TrainSettings } from './settings.ts'
export { type TrainingJob, train } from './train.ts'
