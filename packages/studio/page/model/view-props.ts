import type { StudioContext, StudioInfo } from '../../src/studio-wire.ts'
import type { Analysis } from './analysis.ts'
import type { PageSettings } from './page-settings.ts'
import type { StudioState } from './state.ts'
import type { Update } from './use-studio.ts'

/** The properties that every view of one query gets. */
export interface ViewProps {
  info: StudioInfo
  source: StudioContext
  /** Those that the analysis is of; the state may have newer ones already. */
  settings: PageSettings
  analysis: Analysis
  state: StudioState
  update: Update
}
