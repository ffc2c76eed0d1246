/**
 * Internal: rules for settings and names, the errors of aborted work and of closed things, and which
 * vectors a ranking needs, how near they are to a query and by which metric, for Kith's own packages. It may change with any version; programs use the package's main entry.
 */

export { abortedError, throwIfAborted } from './abort.ts'
export { requireTexts } from './baselines/baselines.ts'
export { methods, similaritySettings } from './baselines/method-settings.ts'
export {
  compareProducts,
  compareVectors,
  metricRemark,
  queryProducts,
  warnMetric,
} from './compare-vectors.ts'
export { auditPreset } from './labels/audit.ts'
export {
  distilDefaults,
  distilTable,
  distilTarget,
  resolveDistilSettings,
} from './labels/distil.ts'
export { injectGroundTruth } from './labels/ground-truth.ts'
export { backgroundOf, checkBackground, drawSample } from './list/background.ts'
export {
  calibrated,
  estimateOnTopic,
  estimateRelevance,
  expectedBest,
  neverRising,
} from './list/relevance.ts'
export { relevanceFeatures } from './list/shortlist.ts'
export { fittingMetric } from './method/metric.ts'
export { extendRanking } from './method/order-by-score.ts'
export { lookedAt } from './method/preselect.ts'
export { textWeights } from './method/view-weights.ts'
export { OpenState } from './open-state.ts'
export { idleReason, refuseIdle } from './settings/idle.ts'
export { type NamedParts, refuseUnknown, unknownName } from './settings/names.ts'
export { is, type Need, only } from './settings/needs.ts'
export {
  type AnyTable,
  defaultsOf,
  rulesOf,
  type Setting,
  type SettingTable,
  type TunerRange,
  type Use,
} from './settings/setting.ts'
export { labelTable, methodTable, settingTable } from './settings/setting-guide.ts'
export {
  choice,
  type Range,
  type Rule,
  type Rules,
  range,
  resolve,
} from './settings/setting-rules.ts'
export { resolveSettings } from './settings/settings.ts'
export { detectTokenizer, type Language } from './text/language.ts'
export { languageNames } from './text/language-names.ts'
export { loadLanguages, registerLanguages } from './text/register-tokenizers.ts'
export { checkTokenizer, isTokenizerName, tokenizerNames, tokenizerOf } from './text/tokenizer.ts'
export { countUtf16, prepareUtf16, type Utf16Text } from './text/utf16-text.ts'
export {
  completeList,
  higherIsBetter,
  methodLooksAt,
  type PlannedCandidates,
  planVectors,
  type RetrieverScores,
  takesWords,
  type VectorPlan,
} from './vector-plan.ts'
