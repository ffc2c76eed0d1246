import type { Use } from './setting.ts'

/** Settings by name, as far as they are known. */
export type Named = Readonly<Record<string, unknown>>

/** A condition under which a setting has an effect. */
export interface Need {
  /** The condition as messages and docs/settings.md say it, such as `windowWeight above 0`. */
  text: string
  holds(settings: Named, use: Use): boolean
  /** The setting whose value decides, if one does: messages show it. */
  by?: string
}

/** Query and candidates have texts. */
export const texts: Need = { text: 'texts', holds: (_, use) => use.texts }

/** A ranking is made: labels have neither BM25 score nor support, window nor title. */
export const ranking: Need = {
  text: 'a ranking',
  holds: (_, { job = 'ranking' }) => job === 'ranking' || job === 'explanation',
}

/** More than the sets of neighbors is made. */
export const scores: Need = { text: 'scores', holds: (_, use) => use.job !== 'neighbors' }

/** Labels are made: an audit ends with the evidence. */
export const labels: Need = { text: 'labels', holds: (_, use) => use.job !== 'audit' }

/** Another setting has one of some values. A table without that setting does not ask for it. */
export function is(by: string, ...values: readonly string[]): Need {
  return compared(by, quoted(values), (value) => values.includes(value as string))
}

/** Another setting has a value other than these. */
export function isNot(by: string, ...values: readonly string[]): Need {
  return {
    text: `a ${by} other than ${quoted(values)}`,
    holds: (settings) => !values.includes(settings[by] as string),
  }
}

/** Another setting is a number above a bound. */
export function above(by: string, bound: number): Need {
  return compared(by, `above ${bound}`, (value) => (value as number) > bound)
}

/** Another setting is a number below a bound. */
export function below(by: string, bound: number): Need {
  return compared(by, `below ${bound}`, (value) => (value as number) < bound)
}

function compared(by: string, text: string, fits: (value: unknown) => boolean): Need {
  const holds = (settings: Named) => settings[by] === undefined || fits(settings[by])
  return { text: `${by} ${text}`, holds, by }
}

function quoted(values: readonly string[]): string {
  return values.map((value) => `'${value}'`).join(' or ')
}

/** A condition that counts only under others; `said` says when. */
export function only(said: string, when: (settings: Named, use: Use) => boolean, need: Need): Need {
  return {
    ...need,
    text: said === '' ? need.text : `${need.text} ${said}`,
    holds: (settings, use) => !when(settings, use) || need.holds(settings, use),
  }
}
