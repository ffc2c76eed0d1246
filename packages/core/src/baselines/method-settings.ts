import { KithError } from '../error.ts'
import { isObject } from '../matrix.ts'
import { defaultsOf, extendRows, rulesOf, type SettingRows } from '../settings/setting.ts'
import { settingRows } from '../settings/setting-rows.ts'
import { type Rules, resolve } from '../settings/setting-rules.ts'
import { checkShares, type Settings } from '../settings/settings.ts'
import { show } from '../settings/show.ts'

/**
 * Ways to reorder candidates without a cross-encoder: docs/method.md's reciprocal `neighbors`, and what
 * people would use instead. `fusion` adds the scores of embeddings and words; `rocchio` moves the
 * query's vector towards its first candidates; `neighbor-rrf` adds the reciprocal ranks by geometric and
 * Jaccard similarity.
 */
export type Method = 'neighbors' | 'fusion' | 'rocchio' | 'neighbor-rrf'

/** Every method, ours first. */
export const methods: readonly Method[] = ['neighbors', 'fusion', 'rocchio', 'neighbor-rrf']

/** The settings of all methods: those of the similarity, and these. */
export interface MethodSettings extends Settings {
  method: Method
  /** How many of the first candidates are taken for relevant by `rocchio`. */
  feedbackDocs: number
  /** The weight of their mean in `rocchio`'s new vector, from 0 to 1. */
  feedbackWeight: number
  /** The number that `neighbor-rrf` adds to ranks before it takes their reciprocal. */
  neighborRrfK: number
}

/** Method settings that differ from the default; `undefined` leaves the default. */
export type PartialMethodSettings = {
  [Name in keyof MethodSettings]?: MethodSettings[Name] | undefined
}

/** The settings of all methods. */
export const methodRows: SettingRows<MethodSettings> = extendRows(settingRows, {
  method: { default: 'neighbors', values: methods },
  feedbackDocs: {
    default: 3,
    range: { from: 1, to: 16_384, integer: true },
    methods: ['rocchio'],
  },
  feedbackWeight: {
    default: 0.1,
    range: { from: 0, to: 1 },
    methods: ['rocchio'],
  },
  neighborRrfK: {
    default: 60,
    range: { from: 0, to: 1e6 },
    methods: ['neighbor-rrf'],
  },
})

/** The rules of each setting of a method. */
export const methodRules: Rules = rulesOf(methodRows)

/** Feedback as measured in docs/method.md section 4; the constant that rank fusion was published with. */
export const standard: MethodSettings = defaultsOf(methodRows)

/**
 * Completes the settings of a method with `others` (by default the library's defaults) and checks
 * the range of each setting.
 *
 * ```ts
 * resolveMethodSettings({ k: 12 }).kExp // 4
 * ```
 */
export function resolveMethodSettings(
  settings: PartialMethodSettings = {},
  others: MethodSettings = standard,
): MethodSettings {
  return checkShares(resolve(settings, others, methodRules))
}

/** The settings that this method takes. */
export function similaritySettings(settings: MethodSettings): Settings {
  if (!isObject(settings)) {
    throw new KithError('BAD_INPUT', `settings must be an object, got ${show(settings)}`)
  }
  const { method, feedbackDocs, feedbackWeight, neighborRrfK, ...rest } = settings
  return rest
}
