/** Trains query encoders and query adapters, and searches the settings of trainings. */
export type { OutsidePolicy } from '../job/job-defaults.ts'
export type { TrainingMissing } from '../join/missing.ts'
export { type AdaptInputs, adaptQueries } from './adapt-queries.ts'
export { type CompareTrainingsInputs, compareTrainings } from './compare-trainings.ts'
export type { HeldOutFigures } from './hold-out.ts'
export type { CutQueries } from './open-training.ts'
export type { TeacherInputs } from './teacher.ts'
export { type TrainInputs, type TrainResult, trainFromFiles } from './train-from-files.ts'
export type { TrainingInputs, TrainingSettings } from './training-inputs.ts'
export type { QueryFiles } from './training-queries.ts'
export {
  type QueriesMade,
  type QuerySources,
  trainingQueries,
} from './training-queries.ts'
export {
  type TuneTrainingInputs,
  type TuneTrainingResult,
  tuneTraining,
} from './tune-training.ts'
