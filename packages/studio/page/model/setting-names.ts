import { resolveLabelSettings, resolveSettings, type Settings } from '@kith/core'
import {
  defaultLabels,
  defaultSettings,
  type PageLabelSettings,
  type PageSettings,
} from './page-settings.ts'

/** A setting's name on the command line; the page's address has the same. */
const names: Record<
  Exclude<keyof PageSettings, 'textScore' | 'textGraph' | 'statistics'>,
  string
> = {
  contextSize: 'context-size',
  k: 'k',
  kExp: 'k-exp',
  trust: 'trust',
  overlap: 'overlap',
  lambda: 'lambda',
  weight: 'weight',
  weightParameter: 'weight-parameter',
  rowScaling: 'row-scaling',
  metric: 'metric',
  mix: 'mix',
  tokenizer: 'tokenizer',
  bm25Weight: 'bm25-weight',
  k1: 'k1',
  b: 'b',
  neighborWeight: 'neighbor-weight',
  supportDocs: 'support-docs',
  supportWeight: 'support-weight',
  preselect: 'preselect',
}

/** Settings of rankings, which labels do not have. */
export const rankingNames: ReadonlySet<string> = new Set([
  ...['no-term-statistics', 'bm25-weight', 'k1', 'b'],
  ...['neighbor-weight', 'support-docs', 'support-weight', 'preselect'],
])

const labelNames: Record<keyof PageLabelSettings, string> = {
  labelDepth: 'label-depth',
  boost: 'boost',
  normalize: 'normalize',
  normalizeOver: 'normalize-over',
  aggregate: 'aggregate',
}

/** An option of a command; a switch has no value. */
export type Option = readonly [name: string, value?: string]

/** The options for settings that differ from the default, by name. */
export function optionsOf(settings: PageSettings): Option[] {
  const options = Object.entries(names)
    .filter(([key]) => differs(settings, defaultSettings, key))
    .map(([key, name]): Option => [name, String(settings[key as keyof PageSettings])])
  const { textScore, textGraph, statistics } = settings
  if (statistics === 'context') options.push(['no-term-statistics'])
  if (textScore !== defaultSettings.textScore || textGraph !== defaultSettings.textGraph) {
    options.push(['texts-weights', `${textScore},${textGraph}`])
  }
  return options
}

/** The options for label settings that differ from the default, by name. */
export function labelOptionsOf(settings: PageLabelSettings): Option[] {
  return Object.entries(labelNames)
    .filter(([key]) => differs(settings, defaultLabels, key))
    .map(([key, name]) => [name, String(settings[key as keyof PageLabelSettings])])
}

/** The settings that an address names. Anybody can write one: what is not allowed is left out. */
export function settingsFrom(address: URLSearchParams): PageSettings {
  const settings = withinShares(read(address, names, defaultSettings, checkSetting))
  if (address.has('no-term-statistics')) settings.statistics = 'context'
  const [textScore, textGraph] = (address.get('texts-weights') ?? '').split(',').map(share)
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
  named: Record<string, string>,
  others: T,
  check: (part: object) => unknown,
): T {
  const found: Record<string, unknown> = {}
  for (const [key, name] of Object.entries(named)) {
    const text = address.get(name)
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
