import {
  type MethodSettings,
  methodRules,
  type PartialMethodSettings,
  resolveMethodSettings,
} from '../baselines/method-settings.ts'
import { KithError } from '../error.ts'
import { isObject } from '../matrix.ts'
import { refuseUnknown, unknownName } from '../settings/names.ts'
import { type Rule, range } from '../settings/setting-rules.ts'
import { show } from '../settings/show.ts'
import { type Background, checkBackground } from './background.ts'
import { checkList, type PriorOptions, priorRules, refuseWithout } from './priors.ts'
import type { Calibration } from './relevance.ts'

/** The hits that a list keeps: by best expected F1, a number of hits, or a minimum relevance. */
export type Cutoff = 'auto' | number | { relevance: number }

/** Options of a list, besides the settings of the ranking. */
export interface ListOptions extends PriorOptions {
  /** The background of the collection, from `background`: with it and texts, hits have a `relevance`. */
  background?: Background | undefined
  /** Platt scaling of the estimated relevance, from judged queries. */
  calibration?: Calibration | undefined
  cutoff?: Cutoff | undefined
  /** Keeps no hit of a query that is less probably on topic. */
  onTopic?: number | undefined
  /** Folds candidates into an earlier one with this cosine or more, or with the same text. */
  collapse?: number | undefined
  /** The group of each candidate, such as its document; undefined for one that has none. */
  groups?: readonly unknown[] | undefined
  /** Hits of one group that are listed; 1 by default if there are groups. */
  maxPerGroup?: number | undefined
}

/** Options and settings that are complete. */
export interface ListSettings extends ListOptions {
  ranking: MethodSettings
  maxPerGroup: number
}

const share = /* @__PURE__ */ range({ from: 0, to: 1 })

const checkCutoff: Rule = (name, value) => {
  if (value === 'auto') return
  if (isObject(value)) {
    refuseUnknown(value, { part: `property of ${name}`, known: ['relevance'], code: 'BAD_SETTING' })
    share(`${name}.relevance`, (value as { relevance: unknown }).relevance)
  } else if (!(Number.isSafeInteger(value) && (value as number) >= 0)) {
    throw new KithError(
      'BAD_SETTING',
      `setting ${name} must be 'auto', a number of hits or { relevance: 0.5 }, got ${show(value)}`,
    )
  }
}

const checkCalibration: Rule = (name, value) => {
  const { a, b } = (isObject(value) ? value : {}) as Calibration
  if (Number.isFinite(a) && a > 0 && Number.isFinite(b)) return
  throw new KithError(
    'BAD_SETTING',
    `setting ${name} must be { a, b } with a above 0, got ${show(value)}`,
  )
}

const rules = /* @__PURE__ */ makeRules()

function makeRules(): Readonly<Record<keyof ListOptions, Rule>> {
  return {
    background: (_, value) => checkBackground(value),
    calibration: checkCalibration,
    cutoff: checkCutoff,
    onTopic: share,
    collapse: share,
    groups: checkList,
    maxPerGroup: range({ from: 1, integer: true }),
    ...priorRules,
  }
}

/** Completes and checks options; each is read once. */
export function resolveListOptions(
  options: ListOptions & PartialMethodSettings = {},
): ListSettings {
  if (!isObject(options)) {
    throw new KithError('BAD_INPUT', `options must be an object, got ${show(options)}`)
  }
  const own: Record<string, unknown> = {}
  const settings: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue
    if (Object.hasOwn(rules, name)) {
      rules[name as keyof ListOptions](name, value)
      own[name] = value
    } else if (Object.hasOwn(methodRules, name)) settings[name] = value
    else {
      const known = [...Object.keys(rules), ...Object.keys(methodRules)]
      throw unknownName(name, { part: 'option', known, code: 'BAD_SETTING' })
    }
  }
  refuseWithout(own as ListOptions, {
    maxPerGroup: 'groups',
    priorWeight: 'priors',
    priorScale: 'priors',
    calibration: 'background',
  })
  own['maxPerGroup'] ??= 1
  own['ranking'] = resolveMethodSettings(settings)
  return own as unknown as ListSettings
}

/**
 * Returns priors that halve with age, for `priors`: 1 for a document of now, 0.5 after a half-life.
 *
 * ```ts
 * shortlist(query, candidates, { priors: recency(dates, { halfLife: 30 }), priorWeight: 0.1 })
 * ```
 *
 * @param halfLife In days.
 */
export function recency(
  dates: readonly (Date | number | string | null | undefined)[],
  options: { halfLife: number; now?: Date | number | undefined },
): (number | undefined)[] {
  if (!Array.isArray(dates)) {
    throw new KithError('BAD_INPUT', `dates must be an array, got ${show(dates)}`)
  }
  if (!isObject(options)) {
    throw new KithError('BAD_INPUT', `options must be an object, got ${show(options)}`)
  }
  const { halfLife, now = Date.now() } = options
  range({ from: 0, above: true })('halfLife', halfLife)
  const end = timeOf(now)
  if (Number.isNaN(end)) {
    throw new KithError('BAD_SETTING', `setting now must be a date, got ${show(now)}`)
  }
  return dates.map((date: unknown, i) => {
    if (date === null || date === undefined) return undefined
    const days = (end - timeOf(date)) / 86_400_000
    if (Number.isNaN(days))
      throw new KithError('BAD_INPUT', `date ${i} must be a date, got ${show(date)}`)
    return 2 ** (-Math.max(0, days) / halfLife)
  })
}

/** The milliseconds of a date, NaN for a value that is none. */
function timeOf(date: unknown): number {
  const known = date instanceof Date || typeof date === 'number' || typeof date === 'string'
  return known ? new Date(date).getTime() : Number.NaN
}
