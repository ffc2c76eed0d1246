import { defaultsOf, rulesOf, type SettingTable } from '../settings/setting.ts'
import { type Rule, type Rules, range, resolve } from '../settings/setting-rules.ts'
import { settingTable } from '../settings/setting-table.ts'
import type { Settings } from '../settings/settings.ts'

/**
 * The names of all targets.
 *
 * ```ts
 * targets.includes('joint') // true
 * ```
 */
export const targets = [
  'mixed',
  'rnn',
  'geometric',
  'joint',
  'one-hot',
  'uniform',
  'query-centric',
] as const

/**
 * The parts of a candidate's label (docs/method.md section 6): its similarity to the
 * ground truth (`mixed`, `rnn`, `geometric`), to the query (`query-centric`), or both
 * (`joint`); or the judgments alone (`one-hot`), smoothed evenly (`uniform`).
 */
export type Target = (typeof targets)[number]

/** How the evidence of several ground-truth documents becomes one number. */
export type Aggregate = 'mean' | 'max' | 'sum'

/** f_n: how evidence is brought to a common range before the softmax. */
export type Normalization = 'maxmin' | 'std' | 'max' | 'none'

/** The settings of label smoothing: those of the similarity, and these. */
export interface LabelSettings extends Settings {
  target: Target
  aggregate: Aggregate
  normalize: Normalization
  /** Whether the statistics of `normalize` are over the whole context (paper) or the kept candidates (published). */
  normalizeOver: 'context' | 'kept'
  /**
   * n_max: how many candidates have a label above 0, at least 1. Ground truth counts, but none of it
   * is dropped while `keepGroundTruth` is true: a query with more of it has more labels.
   */
  labelDepth: number
  /** b: the factor of the ground truth's normalized evidence, above 0. */
  boost: number
  /** ε of the uniform target: the probability it takes from the ground truth, or as much as `mixed` would. */
  epsilon: number | 'match-mixed'
  /** Whether a ground-truth document has a label above 0 whatever its evidence. */
  keepGroundTruth: boolean
}

/** Label settings that differ from the default; `undefined` leaves the default. */
export type PartialLabelSettings = {
  [Name in keyof LabelSettings]?: LabelSettings[Name] | undefined
}

const checkPart = range({ from: 0, to: 1 })
const checkEpsilon: Rule = (name, value) => {
  if (value !== 'match-mixed') checkPart(name, value)
}

/** Why a setting of evidence has no effect. */
const needsEvidence = ({ target }: LabelSettings) =>
  target === 'one-hot' ? "target is 'one-hot'" : undefined

/** The settings of labels: everything that Kith knows about each of them. */
export const labelTable: SettingTable<LabelSettings> = {
  ...settingTable,
  lambda: {
    ...settingTable.lambda,
    idle: ({ target }: LabelSettings) =>
      target === 'mixed' || target === 'uniform' ? undefined : `target is '${target}'`,
  },
  // The BM25 score and the support belong to rankings.
  mix: { ...settingTable.mix, default: 'standard', values: ['raw', 'standard'] },
  target: { help: 'evidence for the labels', default: 'mixed', values: targets },
  aggregate: {
    help: 'how the evidence of several relevant documents is combined',
    default: 'mean',
    values: ['mean', 'max', 'sum'],
    idle: needsEvidence,
  },
  normalizeOver: {
    help: 'documents over which evidence is normalized',
    default: 'context',
    values: ['context', 'kept'],
    idle: needsEvidence,
  },
  epsilon: {
    help: 'probability moved to other documents (uniform), or match-mixed',
    default: 'match-mixed',
    symbol: 'ε',
    check: checkEpsilon,
    idle: ({ target }: LabelSettings) =>
      target === 'uniform' ? undefined : `target is '${target}'`,
  },
  keepGroundTruth: {
    help: 'always give the ground truth a label',
    default: true,
    values: [true, false],
  },
  labelDepth: {
    help: 'documents per query with a label above 0',
    default: 4,
    symbol: 'n_max',
    range: { from: 1, to: 16_384, integer: true },
    tune: { from: 2, to: 32, log: true },
    idle: needsEvidence,
  },
  boost: {
    help: 'factor of the ground truth’s evidence',
    default: 1.222,
    range: { from: 0, to: 1000, above: true },
    symbol: 'b',
    tune: { from: 1, to: 6, log: true },
    idle: needsEvidence,
  },
  normalize: {
    help: 'normalization of evidence',
    default: 'maxmin',
    symbol: 'f_n',
    values: ['maxmin', 'std', 'max', 'none'],
    idle: needsEvidence,
  },
}

/** The rules of each setting of labels. */
export const labelRules: Rules = rulesOf(labelTable)

/** The default settings of labels, also the preset `balanced`. */
export const defaultLabelSettings: LabelSettings = Object.freeze(
  defaultsOf<LabelSettings>(labelTable),
)

/**
 * Completes label settings with `others` (by default `balanced`) and checks the range of each
 * setting.
 *
 * ```ts
 * resolveLabelSettings({ labelDepth: 4 }).target // 'mixed'
 * ```
 */
export function resolveLabelSettings(
  settings: PartialLabelSettings = {},
  others: LabelSettings = defaultLabelSettings,
): LabelSettings {
  return resolve(settings, others, labelRules)
}
