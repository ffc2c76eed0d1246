/** Reciprocal nearest neighbors for dense retrieval: docs/method.md sections 1 to 6. */

export {
  type Method,
  type MethodSettings,
  type PartialMethodSettings,
  resolveMethodSettings,
} from './baselines/method-settings.ts'
export type { NeighborSets, Neighbors } from './calls.ts'
export type { Candidates, CandidateViews, Member, Query, QueryViews } from './context.ts'
export { KithError, type KithErrorCode } from './error.ts'
export type {
  Explanation,
  MatchedTerm,
  SharedNeighbor,
  Supporter,
  TextSpan,
  TextWindow,
} from './explanation.ts'
export { explain, neighbors, rerank, similarity, smoothLabels } from './functions.ts'
export type { KernelName } from './kernel/engine.ts'
export { init, kernel } from './kernel/load.ts'
export {
  type AuditSettings,
  auditCandidates,
  type Finding,
  type RelevantNeighbor,
} from './labels/audit.ts'
export type { DistilSettings, PartialDistilSettings } from './labels/distil.ts'
export type { GroundTruth } from './labels/ground-truth.ts'
export {
  type Aggregate,
  type LabelPresetName,
  type LabelSettings,
  labelPresets,
  type Normalization,
  type PartialLabelSettings,
  resolveLabelSettings,
  type Target,
  targets,
} from './labels/label-settings.ts'
export type { Labels } from './labels/labels.ts'
export {
  type Background,
  type BackgroundOptions,
  background,
  type Spread,
} from './list/background.ts'
export { type Cutoff, type ListOptions, recency } from './list/list-options.ts'
export type { Calibration } from './list/relevance.ts'
export { type ListedHit, type Shortlist, shortlist } from './list/shortlist.ts'
export type { Matrix, SomeVectors, Vector, Vectors } from './matrix.ts'
export type { MetricUse } from './method/metric.ts'
export type { Ranking } from './method/order-by-score.ts'
export type { Similarities, Similarity } from './method/similarities.ts'
export { Reranker } from './reranker.ts'
export type { ScoreParts, TakenApart } from './score-parts.ts'
export { type ScoredTexts, Selection } from './selection.ts'
export type { PartialRerankerSettings } from './settings/reranker-settings.ts'
export {
  type PartialSettings,
  type PresetName,
  presets,
  type RowScaling,
  type Settings,
  type ViewWeights,
  type Weight,
} from './settings/settings.ts'
export {
  type PreparedText,
  type PrepareOptions,
  prepareText,
  type Text,
  type TitledText,
} from './text/prepare-text.ts'
export {
  termStatisticsFromBytes,
  termStatisticsFromJson,
  termStatisticsToBytes,
  termStatisticsToJson,
} from './text/statistics-format.ts'
export { type TermSpan, termSpans } from './text/term-spans.ts'
export {
  mergeTermStatistics,
  type TermStatistics,
  TermStatisticsBuilder,
  termStatistics,
} from './text/term-statistics.ts'
export type { Tokenizer, TokenizerName, TokenizerOption } from './text/tokenizer.ts'
export { TrialContext } from './trial-context.ts'
