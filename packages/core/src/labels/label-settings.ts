import {
  above,
  below,
  is,
  isNot,
  labels,
  type Named,
  type Need,
  only,
  texts,
} from '../settings/needs.ts'
import { defaultsOf, extendRows, presetOf, rulesOf, type SettingRows } from '../settings/setting.ts'
import { settingRows } from '../settings/setting-rows.ts'
import { type Rule, type Rules, range, resolve } from '../settings/setting-rules.ts'
import { type PresetName, presets, type Settings } from '../settings/settings.ts'

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

/** The settings of label smoothing: the settings of the similarity, and these. */
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
  /** Whether a ground-truth document always has a label above 0, even with little evidence. */
  keepGroundTruth: boolean
}

/** Label settings that differ from the default; `undefined` leaves the default. */
export type PartialLabelSettings = {
  [Name in keyof LabelSettings]?: LabelSettings[Name] | undefined
}

const checkPart = /* @__PURE__ */ range({ from: 0, to: 1 })
const checkEpsilon: Rule = (name, value) => {
  if (value !== 'match-mixed') checkPart(name, value)
}

/** The settings of labels. */
export const labelRows: SettingRows<LabelSettings> = /* @__PURE__ */ makeRows()

function makeRows(): SettingRows<LabelSettings> {
  const unlessAudit = (need: Need) => only('', (_, use) => use.job !== 'audit', need)
  const inAudit = (need: Need) => only('in an audit', (_, use) => use.job === 'audit', need)

  /** Most targets are made of evidence; an audit does not use ε. */
  const evidence = (...but: readonly Target[]): Need[] => [
    isNot('target', 'one-hot', ...but),
    inAudit(isNot('target', 'uniform')),
    only(
      "with target 'uniform'",
      ({ target }) => target === 'uniform',
      is('epsilon', 'match-mixed'),
    ),
  ]

  const isMixed = ({ target }: Named) => target === 'mixed' || target === 'uniform'
  const whenMixed = (need: Need) => only("with target 'mixed' or 'uniform'", isMixed, need)

  /** The neighbors take part in the evidence; an audit names them with any evidence. */
  const neighbors = [
    ...evidence('geometric', 'joint', 'query-centric'),
    whenMixed(below('lambda', 1)),
  ].map(unlessAudit)

  /** With texts the graph has cosines: the metric applies to the geometric term. */
  const geometric = [isNot('target', 'rnn'), whenMixed(above('lambda', 0))].map((need) =>
    only('and texts', (_, use) => use.texts, need),
  )

  /** The label itself is made of the evidence. */
  const made = [labels, ...evidence()]

  return extendRows(settingRows, {
    k: { needs: neighbors },
    kExp: { needs: neighbors },
    trust: { needs: neighbors },
    overlap: { needs: [above('trust', 0), ...neighbors] },
    weight: { needs: neighbors },
    weightParameter: { needs: [is('weight', 'exp'), ...neighbors] },
    rowScaling: { needs: [unlessAudit(isNot('target', 'one-hot', 'joint'))] },
    lambda: { needs: [is('target', 'mixed', 'uniform'), ...evidence()] },
    metric: { needs: [...evidence(), ...geometric].map(unlessAudit) },
    tokenizer: { needs: [texts, ...evidence()] },
    // Labels take the tokenizer of the statistics, and no more.
    statistics: { needs: [texts, is('tokenizer', 'auto'), ...evidence()] },
    views: { needs: evidence('joint') },
    // The BM25 score and the support belong to rankings.
    mix: {
      default: 'standard',
      values: ['raw', 'standard'],
      needs: evidence('joint', 'query-centric'),
    },
    target: { default: 'mixed', values: targets },
    aggregate: {
      default: 'mean',
      values: ['mean', 'max', 'sum'],
      needs: evidence('query-centric'),
    },
    normalizeOver: {
      default: 'context',
      values: ['context', 'kept'],
      needs: [...made, is('normalize', 'maxmin', 'std', 'max')],
    },
    epsilon: {
      default: 'match-mixed',
      check: checkEpsilon,
      needs: [labels, is('target', 'uniform')],
    },
    keepGroundTruth: {
      default: true,
      values: [true, false],
      needs: made,
    },
    labelDepth: {
      default: 4,
      range: { from: 1, to: 16_384, integer: true },
      needs: made,
    },
    boost: {
      default: 1.222,
      range: { from: 0, to: 1000, above: true },
      needs: made,
    },
    normalize: {
      default: 'maxmin',
      values: ['maxmin', 'std', 'max', 'none'],
      needs: made,
    },
  })
}

/** The rules of each setting of labels. */
export const labelRules: Rules = rulesOf(labelRows)

/** The default settings of labels, also the preset `balanced`. */
export const defaultLabelSettings: LabelSettings = defaultsOf(labelRows)

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

/* @__NO_SIDE_EFFECTS__ */
function smoothing(similarity: PresetName, settings: Partial<LabelSettings>): LabelSettings {
  return presetOf(presetOf(defaultLabelSettings, presets[similarity]), settings)
}

/**
 * Named label settings. `balanced` is the default; `paper-…` are the paper's for training
 * (docs/method.md section 6); `joint-texts` is joint evidence, for contexts with texts.
 *
 * ```ts
 * smoothLabels(query, candidates, { candidates: [0] }, labelPresets['joint-texts'])
 * ```
 */
export const labelPresets = /* @__PURE__ */ Object.freeze({
  balanced: defaultLabelSettings,
  'paper-tas-b': smoothing('msmarco-tas-b', { labelDepth: 4, boost: 1.222, normalize: 'maxmin' }),
  'paper-cocondenser': smoothing('msmarco-cocondenser', {
    labelDepth: 32,
    boost: 1.525,
    normalize: 'std',
  }),
  'joint-texts': presetOf(defaultLabelSettings, {
    contextSize: 200,
    target: 'joint',
    labelDepth: 4,
    boost: 3,
  }),
} satisfies Record<string, LabelSettings>)

/** The name of a label preset. */
export type LabelPresetName = keyof typeof labelPresets
