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

/** The part of a setting that a call needs. */
export interface SettingRow<T = unknown> {
  /** Undefined if the default depends on the inputs, or if there is none. */
  default: T
  /** The allowed numbers, the allowed values, or a separate rule: one of the three. */
  range?: Range
  values?: readonly Exclude<T, undefined>[]
  check?: Rule
  /** The methods that use it; without it all. */
  methods?: readonly string[]
  /** The conditions under which it has an effect; without it, always. */
  needs?: readonly Need[]
}

/** The part of a setting that the command line, the tuner, the studio and the documentation show. */
export interface SettingGuide<T = unknown> {
  /** A noun phrase for the command line and the documentation. */
  help: string
  /** Its symbol in docs/method.md. */
  symbol?: string
  /** The numbers that a tuner searches. */
  tune?: TunerRange
  /** The values that a figure is drawn through, in their order. */
  axis?: readonly Exclude<T, undefined>[]
}

/** One row of a table of settings: everything that Kith knows about a setting. */
export type Setting<T = unknown> = SettingRow<T> & SettingGuide<T>

/** The rows of settings: each setting has one, and no row is without a setting. */
export type SettingRows<T> = { readonly [Name in keyof T]-?: SettingRow<T[Name]> }

/** The guide to settings. */
export type SettingGuides<T> = { readonly [Name in keyof T]-?: SettingGuide<T[Name]> }

/** A table of settings. */
export type SettingTable<T> = { readonly [Name in keyof T]-?: Setting<T[Name]> }

/** Rows of any settings. */
// biome-ignore lint/suspicious/noExplicitAny: rows of settings of any type.
export type AnyRows = Readonly<Record<string, SettingRow<any>>>

/** A table of any settings. */
// biome-ignore lint/suspicious/noExplicitAny: rows of settings of any type.
export type AnyTable = Readonly<Record<string, Setting<any>>>

/** Rows with more rows, and with changes to some rows. */
/* @__NO_SIDE_EFFECTS__ */
export function extendRows<T, U extends T>(
  rows: SettingRows<T>,
  more: { readonly [Name in keyof T]?: Partial<SettingRow<U[Name]>> } & {
    readonly [Name in Exclude<keyof U, keyof T>]: SettingRow<U[Name]>
  },
): SettingRows<U> {
  const own = rows as AnyRows
  const changed = Object.entries(more as AnyRows).map(([name, row]) => [
    name,
    { ...own[name], ...row },
  ])
  return { ...own, ...Object.fromEntries(changed) } as SettingRows<U>
}

/** Settings with some others, as a frozen preset. */
/* @__NO_SIDE_EFFECTS__ */
export function presetOf<T extends object>(settings: T, changes: Partial<T>): Readonly<T> {
  return Object.freeze({ ...settings, ...changes })
}

/** The rules by which settings are checked. */
/* @__NO_SIDE_EFFECTS__ */
export function rulesOf(table: AnyRows): Rules {
  return Object.fromEntries(
    Object.entries(table).map(([name, { range: within, values, check }]) => [
      name,
      within ? range(within) : values ? choice(...values) : check!,
    ]),
  )
}

/** The default of each setting that has one. */
/* @__NO_SIDE_EFFECTS__ */
export function defaultsOf<T>(table: SettingRows<T>): Readonly<T> {
  const rows = Object.entries(table as AnyRows).map(([name, row]) => [name, row.default])
  return Object.freeze(Object.fromEntries(rows.filter(([, value]) => value !== undefined)) as T)
}
