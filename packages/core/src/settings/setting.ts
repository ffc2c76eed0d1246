import type { Need } from './needs.ts'
import { choice, type Range, type Rule, type Rules, range } from './setting-rules.ts'

/** The inputs that decide whether a setting has an effect. */
export interface Use {
  /** Whether query and candidates have texts. */
  texts: boolean
  /** What is made; `ranking` unless it says otherwise. */
  job?: 'ranking' | 'explanation' | 'labels' | 'audit' | 'similarity' | 'neighbors' | undefined
}

/** The values that a tuner tries. */
export interface TunerRange {
  from: number
  to: number
  /** Whether values are tried on a logarithmic scale. */
  log?: boolean
}

/** One row of a table of settings. */
export interface Setting<T = unknown> {
  /** A noun phrase for the command line and the documentation. */
  help: string
  /** Undefined where the default depends on the inputs, or where there is none. */
  default: T
  /** Its symbol in docs/method.md. */
  symbol?: string
  /** The allowed numbers, the allowed values, or a rule of its own: one of the three. */
  range?: Range
  values?: readonly Exclude<T, undefined>[]
  check?: Rule
  /** The numbers that a tuner searches. */
  tune?: TunerRange
  /** The values that a figure is drawn through, in their order. */
  axis?: readonly Exclude<T, undefined>[]
  /** The methods that use it; without it all. */
  methods?: readonly string[]
  /** The conditions under which it has an effect; without it, always. */
  needs?: readonly Need[]
}

/** A table of settings: each with a row, and no row without a setting. */
export type SettingTable<T> = { readonly [Name in keyof T]-?: Setting<T[Name]> }

/** A table of any settings. */
// biome-ignore lint/suspicious/noExplicitAny: rows of settings of any type.
export type AnyTable = Readonly<Record<string, Setting<any>>>

/** A table with more rows, and with changes of some of its own. */
/* @__NO_SIDE_EFFECTS__ */
export function extendTable<T, U extends T>(
  table: SettingTable<T>,
  rows: { readonly [Name in keyof T]?: Partial<Setting<U[Name]>> } & {
    readonly [Name in Exclude<keyof U, keyof T>]: Setting<U[Name]>
  },
): SettingTable<U> {
  const own = table as AnyTable
  const changed = Object.entries(rows as AnyTable).map(([name, row]) => [
    name,
    { ...own[name], ...row },
  ])
  return { ...own, ...Object.fromEntries(changed) } as SettingTable<U>
}

/** Settings with some others, as a preset that nobody can change. */
/* @__NO_SIDE_EFFECTS__ */
export function presetOf<T extends object>(settings: T, changes: Partial<T>): Readonly<T> {
  return Object.freeze({ ...settings, ...changes })
}

/** The rules by which settings are checked. */
/* @__NO_SIDE_EFFECTS__ */
export function rulesOf(table: AnyTable): Rules {
  return Object.fromEntries(
    Object.entries(table).map(([name, { range: within, values, check }]) => [
      name,
      within ? range(within) : values ? choice(...values) : check!,
    ]),
  )
}

/** The default of each setting that has one. */
/* @__NO_SIDE_EFFECTS__ */
export function defaultsOf<T>(table: SettingTable<T>): Readonly<T> {
  const rows = Object.entries(table as AnyTable).map(([name, row]) => [name, row.default])
  return Object.freeze(Object.fromEntries(rows.filter(([, value]) => value !== undefined)) as T)
}

/** Numbers in steps of 0.1. */
/* @__NO_SIDE_EFFECTS__ */
export function tenths(from: number, to: number): number[] {
  const count = Math.round((to - from) * 10) + 1
  return Array.from({ length: count }, (_, i) => (Math.round(from * 10) + i) / 10)
}
