import { choice, type Rule, type Rules, range, resolve } from '../settings/setting-rules.ts'
import { type Settings, settingRules } from '../settings/settings.ts'
import { labelPresets } from './label-presets.ts'

/** All targets by name. */
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

const part = range({ from: 0, to: 1 })
const epsilon: Rule = (name, value) => {
  if (value !== 'match-mixed') part(name, value)
}

/** The allowed values of each setting of labels. */
export const labelRules: Rules = {
  ...settingRules,
  // The words score and the support belong to rankings.
  mix: choice('raw', 'standard'),
  target: choice(...targets),
  aggregate: choice('mean', 'max', 'sum'),
  normalize: choice('maxmin', 'std', 'max', 'none'),
  normalizeOver: choice('context', 'kept'),
  labelDepth: range({ from: 1, to: 16_384, integer: true }),
  boost: range({ from: 0, to: 1000, above: true }),
  epsilon,
  keepGroundTruth: choice(true, false),
}

/** Completes label settings with others, by default `balanced`, and checks each one's range. */
export function resolveLabelSettings(
  settings: PartialLabelSettings = {},
  others: LabelSettings = labelPresets.balanced,
): LabelSettings {
  return resolve(settings, others, labelRules)
}
