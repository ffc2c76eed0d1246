/** Reciprocal nearest neighbours for dense retrieval: METHOD.md sections 1 to 6. */
export type { Candidates, CandidateViews, Query, QueryViews, RankingContext } from './context.ts'
export { KithError, type KithErrorCode } from './error.ts'
export type { Explanation, SharedNeighbour } from './explanation.ts'
export { explain, neighbours, rerank, similarity, smoothLabels } from './functions.ts'
export { type GroundTruth, injectGroundTruth } from './ground-truth.ts'
export type { KernelName } from './kernel/engine.ts'
export { kernel } from './kernel/load.ts'
export { type LabelPresetName, labelPresets } from './label-presets.ts'
export {
  type Aggregate,
  type LabelSettings,
  type Normalisation,
  type PartialLabelSettings,
  resolveLabelSettings,
  type Target,
} from './label-settings.ts'
export type { Labels } from './labels.ts'
export type { Matrix, Vector, Vectors } from './matrix.ts'
export {
  type Method,
  type MethodSettings,
  methods,
  type PartialMethodSettings,
  resolveMethodSettings,
  similaritySettings,
} from './method-settings.ts'
export { type PreparedText, prepareText, type Text } from './prepare-text.ts'
export { type PresetName, presets } from './presets.ts'
export { extendRanking, type Ranking } from './ranking.ts'
export { movedQuery, rerankWith } from './rerank-with.ts'
export { type Neighbours, Reranker } from './reranker.ts'
export {
  type PartialSettings,
  resolveSettings,
  type Scale,
  type Settings,
  type ViewWeights,
  type Weight,
} from './settings.ts'
export type { Similarities } from './similarities.ts'
export { TrialContext } from './trial-context.ts'
