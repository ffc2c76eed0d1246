/** Whole jobs, callable: files and stores in, results out. */

export {
  type AuditAcceptInputs,
  type AuditAcceptResult,
  auditAccept,
} from './audit/audit-accept.ts'
export {
  type AuditEvaluateInputs,
  type AuditEvaluation,
  auditEvaluate,
  type Spread,
} from './audit/audit-evaluate.ts'
export { type AuditInputs, type AuditResult, auditPageOf, auditRun } from './audit/audit-run.ts'
export type { AuditFiles } from './audit/audit-sources.ts'
export { type ExportInputs, type ExportResult, exportBatch } from './batches/export-batch.ts'
export type { Submission, Submitted } from './batches/submit-batch.ts'
export { type WorkInputs, type WorkResult, workBatches } from './batches/work-batches.ts'
export type {
  Collection,
  CollectionDocument,
  CollectionSearchOptions,
} from './collection/collection.ts'
export { type CollectionInputs, openCollection } from './collection/open-collection.ts'
export type { Found, Reasons } from './collection/rank-candidates.ts'
export { type ConvertInputs, convertedKinds, convertFile } from './convert/convert-file.ts'
export { type EncodeInputs, type EncodeResult, encodeTexts } from './encode/encode-texts.ts'
export { type EvaluateInputs, type EvaluateResult, evaluateRuns } from './evaluate/evaluate-runs.ts'
export type { CorrectedComparison, NamedEvaluation } from './evaluate/evaluations.ts'
export {
  type FuseInputs,
  type FuseResult,
  type Fusion,
  fuseRuns,
  fusions,
} from './fuse/fuse-runs.ts'
export type { Hooks, JobProgress } from './hooks.ts'
export { jobDefaults } from './job-defaults.ts'
export type { DocumentPlace } from './join/documents.ts'
export {
  type Missing,
  type MissingPolicy,
  type MissingReport,
  missingPolicies,
} from './join/missing.ts'
export type { StatisticsSource } from './join/statistics.ts'
export { type DistilInputs, distilRun } from './label/distil-run.ts'
export { type LabelFormat, labelFormats, labelValues } from './label/label-format.ts'
export { type LabelInputs, type LabelResult, labelRun } from './label/label-run.ts'
export { submitLabels } from './label/label-store.ts'
export type { LabelSummary } from './label/label-summary.ts'
export { type MergeInputs, type MergeResult, mergeLabels } from './label/merge-labels.ts'
export type { Shard } from './label/shard.ts'
export { type LoadInputs, type LoadResult, loadStore } from './load/load-store.ts'
export { type ReportInputs, reportRuns } from './report/report-runs.ts'
export type { ThenCrossEncode } from './rerank/cross-encoding.ts'
export { type Measuring, type RerankFigures, usualMeasures } from './rerank/rerank-figures.ts'
export { type RerankInputs, type RerankResult, rerankRun } from './rerank/rerank-run.ts'
export { submitRerank } from './rerank/rerank-store.ts'
export { type SearchInputs, type SearchResult, searchRun } from './search/search-run.ts'
export {
  collectTermStatistics,
  type TermStatisticsInputs,
} from './terms/collect-term-statistics.ts'
export { type AdaptInputs, adaptQueries } from './train/adapt-queries.ts'
export { type CompareTrainingsInputs, compareTrainings } from './train/compare-trainings.ts'
export type { CutQueries } from './train/cut-queries.ts'
export type { HeldOutFigures } from './train/held-out-figures.ts'
export type { TrainingMissing } from './train/open-training.ts'
export { type OutsidePolicy, outsidePolicies } from './train/outside-labels.ts'
export type { QueryFiles } from './train/read-training-queries.ts'
export type { TeacherInputs } from './train/teacher.ts'
export { type TrainInputs, type TrainResult, trainFromFiles } from './train/train-from-files.ts'
export type { TrainingInputs, TrainingSettings } from './train/training-inputs.ts'
export { type QueriesMade, type QuerySources, trainingQueries } from './train/training-queries.ts'
export { type Collected, type CollectInputs, collect, type TextsById } from './tune/collect.ts'
export type { JudgedInputs } from './tune/judged-collection.ts'
export { type SweepInputs, type SweepResult, sweepRun } from './tune/sweep-run.ts'
export { studyBeside, type TuneInputs, type TuneResult, tuneRun } from './tune/tune-run.ts'
export {
  type TuneTrainingInputs,
  type TuneTrainingResult,
  trainingStudy,
  tuneTraining,
} from './tune/tune-training.ts'
