import type { StudioContext } from '../../src/studio-wire.ts'
import type { JobName } from './jobs.ts'
import type { PageSettings } from './page-settings.ts'

/** The page's request to the method's worker. */
export interface MethodWish {
  number: number
  job: JobName
  args: [PageSettings, ...unknown[]]
  /** The query's context, where it is another one than the last time. */
  source?: StudioContext
}

/** The worker's answer to the request with this number. */
export type MethodAnswer = { number: number } & ({ value: unknown } | { error: string })
