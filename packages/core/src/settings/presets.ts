import { defaultSettings, type Settings } from './settings.ts'

/** The paper's settings for MS MARCO. They belong to inner products around 100, not to cosines. */
function msmarco(
  settings: Pick<Settings, 'contextSize' | 'k' | 'kExp' | 'trust' | 'lambda'>,
): Settings {
  return Object.freeze<Settings>({
    ...defaultSettings,
    ...settings,
    metric: 'dot',
    mix: 'raw',
  })
}

/**
 * Named settings. `balanced` is the default; `balanced-1` and `balanced-2` are the defaults of the
 * first and the second generation, which differ where texts are given; the others are the paper's
 * (docs/method.md section 5).
 *
 * ```ts
 * rerank(query, candidates, presets['balanced-2'])
 * ```
 */
export const presets = Object.freeze({
  balanced: defaultSettings,
  'balanced-1': Object.freeze<Settings>({ ...defaultSettings, mix: 'standard', tokenizer: 'none' }),
  'balanced-2': Object.freeze<Settings>({ ...defaultSettings, windowWeight: 0, titleWeight: 0 }),
  'msmarco-tas-b': msmarco({ contextSize: 60, k: 21, kExp: 3, trust: 0, lambda: 0.451 }),
  'msmarco-cocondenser': msmarco({ contextSize: 53, k: 21, kExp: 5, trust: 0.128, lambda: 0.469 }),
  'msmarco-coder-cocondenser': msmarco({
    contextSize: 63,
    k: 19,
    kExp: 8,
    trust: 0.5,
    lambda: 0.473,
  }),
} satisfies Record<string, Settings>)

/** The name of a preset. */
export type PresetName = keyof typeof presets
