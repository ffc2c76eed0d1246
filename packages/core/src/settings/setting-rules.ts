import { KithError } from '../error.ts'
import { isObject } from '../matrix.ts'
import { unknownName } from './names.ts'
import { show } from './show.ts'

/** Throws if a value is not one that a setting takes. */
export type Rule = (name: string, value: unknown) => void

/** The rules of settings by name. */
export type Rules = Readonly<Record<string, Rule>>

/** The allowed values of a number. */
export interface Range {
  from: number
  /** The largest number, or the one that all are below; without either, any finite number. */
  to?: number | undefined
  below?: number | undefined
  integer?: boolean
  /** The lower bound itself is not allowed. */
  above?: boolean
}

/** A number within a range. */
/* @__NO_SIDE_EFFECTS__ */
export function range({ from, to, below = Infinity, integer, above }: Range): Rule {
  return (name, value) => {
    const fits =
      typeof value === 'number' &&
      value < below &&
      (to === undefined || value <= to) &&
      (above ? value > from : value >= from) &&
      (!integer || Number.isSafeInteger(value))
    if (fits) return
    const kind = integer ? 'a whole number' : 'a number'
    const upper =
      to !== undefined
        ? `${above ? ', at most' : ' to'} ${to}`
        : below < Infinity
          ? `${above ? ', ' : ' to '}below ${below}`
          : ''
    const allowed = `${kind} ${above ? 'above' : 'from'} ${from}${upper}`
    throw new KithError('BAD_SETTING', `setting ${name} must be ${allowed}, got ${show(value)}`)
  }
}

/** A rule that accepts some values. */
/* @__NO_SIDE_EFFECTS__ */
export function choice(...allowed: readonly (string | boolean)[]): Rule {
  return (name, value) => {
    if ((allowed as readonly unknown[]).includes(value)) return
    const list = allowed.join(', ')
    throw new KithError('BAD_SETTING', `setting ${name} must be one of ${list}, got ${show(value)}`)
  }
}

/** Completes settings with others and checks each one that is given. */
export function resolve<T extends object>(given: object, others: T, rules: Rules): T {
  for (const settings of [given, others]) {
    if (isObject(settings)) continue
    throw new KithError('BAD_INPUT', `settings must be an object, got ${show(settings)}`)
  }
  const resolved = { ...others } as Record<string, unknown>
  for (const [name, own] of Object.entries(given)) {
    if (own === undefined) continue
    if (!Object.hasOwn(rules, name)) {
      throw unknownName(name, { part: 'setting', known: Object.keys(rules), code: 'BAD_SETTING' })
    }
    const value = copyOf(own)
    rules[name]!(name, value)
    resolved[name] = value
  }
  return resolved as T
}

/**
 * A copy of a setting with parts, such as the weights of views: a getter cannot change it after the
 * check.
 */
function copyOf(value: unknown): unknown {
  if (!isObject(value) || Array.isArray(value)) return value
  const copy: Record<string, unknown> = { ...value }
  for (const name in copy) {
    const part = copy[name]
    if (isObject(part) && !ArrayBuffer.isView(part)) copy[name] = { ...part }
  }
  return copy
}
