import { resolveLabelSettings, type Settings } from '@kith/core'
import { resolveSettings, settingTable } from '@kith/core/internal'
import {
  defaultLabels,
  defaultSettings,
  type PageLabelSettings,
  type PageSettings,
} from './page-settings.ts'

/** The views, in the order of their tabs. */
export const viewNames = ['query', 'neighborhood', 'labels', 'audit'] as const
export type ViewName = (typeof viewNames)[number]

/** Everything that the page shows; its address has all of it. */
export interface StudioState {
  view: ViewName
  /** The id of the query; undefined shows the one that the dataset opens on. */
  query: string | undefined
  /** A free text that is looked at instead of a query of the run. */
  text: string | undefined
  settings: PageSettings
  labels: PageLabelSettings
  /** The document that is the probe of the neighborhood; undefined is the query. */
  probe: string | undefined
  /** The document that counts as ground truth, or `all` relevant ones; undefined is the first by rank. */
  truth: string | undefined
}

/** The state that an address describes. */
export function stateFrom(search: string): StudioState {
  const address = new URLSearchParams(search)
  const view = viewNames.find((name) => name === address.get('view'))
  return {
    view: view ?? 'query',
    query: address.get('query') ?? undefined,
    text: address.get('text') ?? undefined,
    probe: address.get('probe') ?? undefined,
    truth: address.get('truth') ?? undefined,
    settings: settingsFrom(address),
    labels: labelSettingsFrom(address),
  }
}

/** The address of a state: what differs from a fresh page. */
export function addressOf(state: StudioState): string {
  const { view, query, text, probe, truth, settings, labels } = state
  const address = new URLSearchParams()
  if (view !== 'query') address.set('view', view)
  if (query !== undefined) address.set('query', query)
  if (text !== undefined) address.set('text', text)
  if (probe !== undefined) address.set('probe', probe)
  if (truth !== undefined) address.set('truth', truth)
  for (const [name, value] of [...optionsOf(settings), ...labelOptionsOf(labels)]) {
    address.set(name, value ?? '')
  }
  return `?${address}`
}

/** The settings that the page holds under their own names, in the table's order. */
const names = Object.keys(settingTable).filter(
  (name) => !['statistics', 'views', 'kernel'].includes(name),
) as Exclude<keyof PageSettings, 'textScore' | 'textGraph' | 'statistics'>[]

/** The weights of the texts, by their names on the command line. */
export const textWeightNames = {
  textScore: 'views.texts.score',
  textGraph: 'views.texts.graph',
} as const

/** The switch that counts terms among the candidates only. */
export const NO_STATISTICS = 'no-term-statistics'

const labelNames = Object.keys(defaultLabels) as (keyof PageLabelSettings)[]

/** A setting as the page's address and `--set` have it; a switch of the command has no value. */
export type Option = readonly [name: string, value?: string]

/** The settings that differ from the default, by name. */
export function optionsOf(settings: PageSettings): Option[] {
  const views = Object.entries(textWeightNames) as [keyof typeof textWeightNames, string][]
  const moved = views.some(([key]) => differs(settings, defaultSettings, key))
  return [
    ...changes(names, settings, defaultSettings),
    ...(settings.statistics === 'candidates' ? [[NO_STATISTICS] as const] : []),
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

/**
 * The settings in an address. Anybody can write an address: settings that are not allowed are left
 * out.
 */
function settingsFrom(address: URLSearchParams): PageSettings {
  const settings = withinShares(read(address, names, defaultSettings, checkSetting))
  if (address.has(NO_STATISTICS)) settings.statistics = 'candidates'
  const textScore = share(address.get(textWeightNames.textScore) ?? '')
  const textGraph = share(address.get(textWeightNames.textGraph) ?? '')
  if (textScore === undefined || textGraph === undefined) return settings
  return { ...settings, textScore, textGraph }
}

/** The label settings that an address names. */
function labelSettingsFrom(address: URLSearchParams): PageLabelSettings {
  return read(address, labelNames, defaultLabels, (part) => resolveLabelSettings(part))
}

function checkSetting(part: Partial<Settings>): void {
  // Each weight is checked without the other's default.
  resolveSettings({ neighborWeight: 0, supportWeight: 0, ...part })
}

/** Neighbors and support share the rest of 1: if their sum is larger, the default applies. */
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
