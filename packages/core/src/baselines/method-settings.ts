import { KithError } from '../error.ts'
import { isObject } from '../matrix.ts'
import { presets } from '../settings/presets.ts'
import { choice, type Rules, range, resolve } from '../settings/setting-rules.ts'
import { checkShares, type Settings, settingRules } from '../settings/settings.ts'
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

/** The allowed values of each setting of a method. */
export const methodRules: Rules = {
  ...settingRules,
  method: choice(...methods),
  feedbackDocs: range({ from: 1, to: 16_384, integer: true }),
  feedbackWeight: range({ from: 0, to: 1 }),
  neighborRrfK: range({ from: 0, to: 1e6 }),
}

/** Feedback as measured in docs/method.md section 4; the constant that rank fusion was published with. */
export const standard: MethodSettings = {
  ...presets.balanced,
  method: 'neighbors',
  feedbackDocs: 3,
  feedbackWeight: 0.1,
  neighborRrfK: 60,
}

/** Completes the settings of a method with others, by default the library's, and checks each one's range. */
export function resolveMethodSettings(
  settings: PartialMethodSettings = {},
  others: MethodSettings = standard,
): MethodSettings {
  return checkShares(resolve(settings, others, methodRules))
}

/** The settings that this method takes. */
export function similaritySettings(settings: MethodSettings): Settings {
  if (!isObject(settings)) {
    throw new KithError('BAD_INPUT', `settings must be an object, not ${show(settings)}`)
  }
  const { method, feedbackDocs, feedbackWeight, neighborRrfK, ...rest } = settings
  return rest
}
