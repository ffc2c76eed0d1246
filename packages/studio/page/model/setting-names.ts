import { resolveLabelSettings, resolveSettings, type Settings } from '@kith/core'
import { settingTable } from '@kith/core/internal'
import {
  defaultLabels,
  defaultSettings,
  type PageLabelSettings,
  type PageSettings,
} from './page-settings.ts'

/** The settings that the page holds under their own names, in the table's order. */
const names = Object.keys(settingTable).filter(
  (name) => !['statistics', 'views', 'kernel'].includes(name),
) as Exclude<keyof PageSettings, 'textScore' | 'textGraph' | 'statistics'>[]

/** The weights of the texts, by their names on the command line. */
export const viewNames = { textScore: 'views.texts.score', textGraph: 'views.texts.graph' } as const

/** The switch that counts terms among the candidates only. */
export const NO_STATISTICS = 'no-term-statistics'

const labelNames = Object.keys(defaultLabels) as (keyof PageLabelSettings)[]

/** A setting as the page's address and `--set` have it; a switch of the command has no value. */
export type Option = readonly [name: string, value?: string]

/** The settings that differ from the default, by name. */
export function optionsOf(settings: PageSettings): Option[] {
  const views = Object.entries(viewNames) as [keyof typeof viewNames, string][]
  const moved = views.some(([key]) => differs(settings, defaultSettings, key))
  return [
    ...changes(names, settings, defaultSettings),
    ...(settings.statistics === 'context' ? [[NO_STATISTICS] as const] : []),
    ...(moved ? views.map(([key, name]): Option => [name, String(settings[key])]) : []),
  ]
}

/** The label settings that differ from the default, by name. */
export function labelOptionsOf(settings: PageLabelSettings): Option[] {
  return changes(labelNames, settings, defaultLabels)
}

function changes<T extends object>(own: readonly (keyof T & string)[], settings: T, others: T) {
  return own
    .filter((name) => differs(settings, others, name))
    .map((name): Option => [name, String(settings[name])])
}

/** The settings that an address names. Anybody can write one: what is not allowed is left out. */
export function settingsFrom(address: URLSearchParams): PageSettings {
  const settings = withinShares(read(address, names, defaultSettings, checkSetting))
  if (address.has(NO_STATISTICS)) settings.statistics = 'context'
  const textScore = share(address.get(viewNames.textScore) ?? '')
  const textGraph = share(address.get(viewNames.textGraph) ?? '')
  if (textScore === undefined || textGraph === undefined) return settings
  return { ...settings, textScore, textGraph }
}

/** The label settings that an address names. */
export function labelSettingsFrom(address: URLSearchParams): PageLabelSettings {
  return read(address, labelNames, defaultLabels, (part) => resolveLabelSettings(part))
}

function checkSetting(part: Partial<Settings>): void {
  // One share is checked without the other's default.
  resolveSettings({ neighborWeight: 0, supportWeight: 0, ...part })
}

/** Neighbors and support share what is left of 1: where they ask for more, the default holds. */
function withinShares(settings: PageSettings): PageSettings {
  try {
    const { neighborWeight, supportWeight } = settings
    resolveSettings({ neighborWeight, supportWeight })
    return settings
  } catch {
    const { neighborWeight, supportWeight } = defaultSettings
    return { ...settings, neighborWeight, supportWeight }
  }
}

function differs<T extends object>(settings: T, others: T, key: string): boolean {
  return settings[key as keyof T] !== others[key as keyof T]
}

function share(text: string): number | undefined {
  const value = text === '' ? Number.NaN : Number(text)
  return value >= 0 && value <= 1 ? value : undefined
}

function read<T extends object>(
  address: URLSearchParams,
  names: readonly string[],
  others: T,
  check: (part: object) => unknown,
): T {
  const found: Record<string, unknown> = {}
  for (const key of names) {
    const text = address.get(key)
    if (text === null || text === '') continue
    // A setting without a default is a number.
    const value = typeof others[key as keyof T] === 'string' ? text : Number(text)
    try {
      check({ [key]: value })
      found[key] = value
    } catch {
      // The default holds.
    }
  }
  return { ...others, ...found }
}
