import type { Use } from './setting.ts'

/** Settings by name, as far as they are known. */
export type Named = Readonly<Record<string, unknown>>

/** A condition under which a setting has an effect. */
export interface Need {
  /** The condition as messages and docs/settings.md say it, such as `windowWeight above 0`. */
  text: string
  holds(settings: Named, use: Use): boolean
  /** The setting whose value decides, where one does: messages show it. */
  by?: string
}

/** Query and candidates have texts. */
export const texts: Need = { text: 'texts', holds: (_, use) => use.texts }

/** A ranking is made: labels have neither BM25 score nor support, window nor title. */
export const ranking: Need = {
  text: 'a ranking',
  holds: (_, { job = 'ranking' }) => job === 'ranking' || job === 'explanation',
}

/** Labels are made: an audit ends with the evidence. */
export const labels: Need = { text: 'labels', holds: (_, use) => use.job !== 'audit' }

/** Another setting has one of some values. A table without that setting does not ask for it. */
export function is(by: string, ...values: readonly unknown[]): Need {
  const shown = values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)))
  return {
    text: `${by} ${shown.join(' or ')}`,
    holds: (settings) => settings[by] === undefined || values.includes(settings[by]),
    by,
  }
}

/** Another setting has any value but some. */
export function isNot(by: string, ...values: readonly string[]): Need {
  return {
    text: `a ${by} other than ${values.map((value) => `'${value}'`).join(' or ')}`,
    holds: (settings) => !values.some((value) => settings[by] === value),
  }
}

/** Another setting is a number above a bound. */
export function above(by: string, bound: number): Need {
  return {
    text: `${by} above ${bound}`,
    holds: (settings) => !(typeof settings[by] === 'number' && settings[by] <= bound),
    by,
  }
}

/** Another setting is a number below a bound. */
export function below(by: string, bound: number): Need {
  return {
    text: `${by} below ${bound}`,
    holds: (settings) => !(typeof settings[by] === 'number' && settings[by] >= bound),
    by,
  }
}

/** A condition that counts only under others; `said` says when. */
export function only(said: string, when: (settings: Named, use: Use) => boolean, need: Need): Need {
  return {
    ...need,
    text: said === '' ? need.text : `${need.text} ${said}`,
    holds: (settings, use) => !when(settings, use) || need.holds(settings, use),
  }
}
