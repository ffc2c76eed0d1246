import { type PresetName, presets } from '../settings/presets.ts'
import { presetOf } from '../settings/setting.ts'
import { defaultLabelSettings, type LabelSettings } from './label-settings.ts'

/* @__NO_SIDE_EFFECTS__ */
function smoothing(similarity: PresetName, settings: Partial<LabelSettings>): LabelSettings {
  return presetOf(presetOf(defaultLabelSettings, presets[similarity]), settings)
}

/**
 * Named label settings. `balanced` is the default; `paper-…` are the paper's for training
 * (docs/method.md section 6); `joint-texts` is joint evidence, for contexts with texts.
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
