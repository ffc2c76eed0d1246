import type { PageLabelSettings, PageSettings } from './page-settings.ts'
import { labelOptionsOf, labelSettingsFrom, optionsOf, settingsFrom } from './setting-names.ts'

/** The views, in the order of their tabs. */
export const viewNames = ['query', 'neighborhood', 'labels', 'audit'] as const
export type ViewName = (typeof viewNames)[number]

/** Everything that the page shows; its address has all of it. */
export interface StudioState {
  view: ViewName
  /** The id of the query; undefined shows the one that the collection opens on. */
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
