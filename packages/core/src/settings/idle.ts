import type { Candidates } from '../context.ts'
import { KithError } from '../error.ts'
import { isObject } from '../matrix.ts'
import type { Named } from './needs.ts'
import { type AnyRows, defaultsOf, type SettingRow, type Use } from './setting.ts'
import { settingRows } from './setting-rows.ts'

/** The settings that every preset has. */
const ofPreset = Object.keys(defaultsOf(settingRows))

/** Why a setting has no effect with these settings and inputs; undefined if it has one. */
export function idleReason(
  { methods, needs = [] }: Pick<SettingRow, 'methods' | 'needs'>,
  settings: Named,
  use: Use,
): string | undefined {
  const method = settings['method']
  if (typeof method === 'string' && methods && !methods.includes(method)) {
    return `method '${method}' does not use it`
  }
  const need = needs.find(({ holds }) => !holds(settings, use))
  if (!need) return undefined
  const { text, by } = need
  const value = by === undefined ? undefined : settings[by]
  const found = typeof value === 'string' ? `'${value}'` : String(value)
  return `it needs ${text}${by === undefined ? '' : `, not ${found}`}`
}

/**
 * Refuses a setting that was given and has no effect. Settings with all the names of a preset come
 * from a preset or were completed before: the user set none of them. Getters are not called again.
 */
export function refuseIdle(
  given: object | undefined,
  settings: object,
  use: Use | undefined,
  table: AnyRows,
): void {
  if (given !== undefined && use !== undefined) refuseUseless(given, [[table, settings, use]])
}

/** Refuses a setting that was given and has no effect in any of some uses; the first says why. */
export function refuseUseless(
  given: object,
  uses: readonly (readonly [table: AnyRows, settings: object, use: Use])[],
): void {
  const set = Object.getOwnPropertyNames(given).filter((name) => !isUnset(given, name))
  if (ofPreset.every((name) => set.includes(name))) return
  for (const name of set) {
    const reasons = uses.flatMap(([table, settings, use]) =>
      Object.hasOwn(table, name) ? [idleReason(table[name]!, settings as Named, use)] : [],
    )
    if (reasons.length === 0 || reasons.includes(undefined)) continue
    throw new KithError('BAD_SETTING', `setting ${name} has no effect: ${reasons[0]}; leave it out`)
  }
}

/** The inputs of a call that decide which settings count; undefined if only a getter knows. */
export function useOf(candidates: Candidates, job: Omit<Use, 'texts'> = {}): Use | undefined {
  if (!isObject(candidates)) return { ...job, texts: false }
  const { get, value } = Object.getOwnPropertyDescriptor(candidates, 'texts') ?? {}
  return get ? undefined : { ...job, texts: (value ?? undefined) !== undefined }
}

/** Whether an object lacks a setting, or has it as undefined. */
function isUnset(given: object, name: string): boolean {
  const own = Object.getOwnPropertyDescriptor(given, name)
  return own === undefined || (own.get === undefined && own.value === undefined)
}
