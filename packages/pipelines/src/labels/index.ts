/** Makes soft labels for a training, from judgments or from a better ranking. */

export type { LabelFormat } from '../job/job-defaults.ts'
export { type DistilInputs, distilRun } from './distil-run.ts'
export { type LabelInputs, type LabelResult, labelRun, submitLabels } from './label-run.ts'
export { type MergeInputs, type MergeResult, mergeLabels } from './merge-labels.ts'
export type { LabelSummary } from './query-labels.ts'
export type { Shard } from './shares.ts'
