import { presets } from '../settings/presets.ts'
import type { Settings } from '../settings/settings.ts'
import type { LabelSettings } from './label-settings.ts'

function smoothing(
  similarity: Settings,
  settings: Pick<LabelSettings, 'labelDepth' | 'boost' | 'normalize'>,
): LabelSettings {
  return Object.freeze<LabelSettings>({
    ...similarity,
    target: 'mixed',
    aggregate: 'mean',
    normalizeOver: 'context',
    epsilon: 'match-mixed',
    keepGroundTruth: true,
    ...settings,
  })
}

/** Named label settings. `balanced` is the default; the others are the paper's for training (docs/method.md section 6). */
export const labelPresets = Object.freeze({
  balanced: smoothing(
    { ...presets.balanced, mix: 'standard' },
    { labelDepth: 4, boost: 1.222, normalize: 'maxmin' },
  ),
  'coder-tas-b': smoothing(presets['msmarco-tas-b'], {
    labelDepth: 4,
    boost: 1.222,
    normalize: 'maxmin',
  }),
  'coder-cocondenser': smoothing(presets['msmarco-cocondenser'], {
    labelDepth: 32,
    boost: 1.525,
    normalize: 'std',
  }),
} satisfies Record<string, LabelSettings>)

/** The name of a label preset. */
export type LabelPresetName = keyof typeof labelPresets
