import type { StudioContext } from '../../src/studio-wire.ts'
import type { JobName } from './jobs.ts'

/** What the page asks the method's worker for. */
export interface MethodWish {
  number: number
  job: JobName
  args: unknown[]
  /** The query's context, where it is another one than the last time. */
  source?: StudioContext
}

/** What the worker answers to the wish with this number. */
export type MethodAnswer = { number: number } & ({ value: unknown } | { error: string })
