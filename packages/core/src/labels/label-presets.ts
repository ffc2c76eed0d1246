import { type PresetName, presets } from '../settings/presets.ts'
import {
  defaultLabelSettings,
  type LabelSettings,
  type PartialLabelSettings,
} from './label-settings.ts'

function smoothing(similarity: PresetName, settings: PartialLabelSettings): LabelSettings {
  return Object.freeze({
    ...defaultLabelSettings,
    ...presets[similarity],
    ...settings,
  } as LabelSettings)
}

/**
 * Named label settings. `balanced` is the default; `paper-…` are the paper's for training
 * (docs/method.md section 6); `joint-texts` is joint evidence, for contexts with texts.
 *
 * ```ts
 * smoothLabels(query, candidates, { candidates: [0] }, labelPresets['joint-texts'])
 * ```
 */
export const labelPresets = Object.freeze({
  balanced: defaultLabelSettings,
  'paper-tas-b': smoothing('msmarco-tas-b', { labelDepth: 4, boost: 1.222, normalize: 'maxmin' }),
  'paper-cocondenser': smoothing('msmarco-cocondenser', {
    labelDepth: 32,
    boost: 1.525,
    normalize: 'std',
  }),
  'joint-texts': Object.freeze<LabelSettings>({
    ...defaultLabelSettings,
    contextSize: 200,
    target: 'joint',
    labelDepth: 4,
    boost: 3,
  }),
} satisfies Record<string, LabelSettings>)

/** The name of a label preset. */
export type LabelPresetName = keyof typeof labelPresets
