import type { ScheduleState } from '../optimiser/schedule.ts'
import type { Identity } from './identity.ts'

/** The state of a training besides weights and moments. */
export interface Progress {
  /** Steps done. */
  step: number
  schedule: ScheduleState
  /** The best validation so far, by the criterion; validations since then. */
  best: { step: number; value: number } | null
  sinceBest: number
  /** Settings and data: a training goes on with the same ones only. */
  identity: Identity
}

/** The progress that a checkpoint has as JSON; undefined where it is none. */
export function parseProgress(text: unknown): Progress | undefined {
  const progress = objectOf(text) as Partial<Progress> | undefined
  // Earlier versions wrote the identity as a text of its own.
  const identity = objectOf(progress?.identity)
  if (!progress || !identity) return undefined
  const { step, schedule, best, sinceBest } = progress
  const fits =
    isCount(step) &&
    isCount(sinceBest) &&
    isSchedule(schedule) &&
    (best === null || (isCount(best?.step) && Number.isFinite(best?.value)))
  return fits ? ({ ...progress, identity } as Progress) : undefined
}

function isSchedule(value: Partial<ScheduleState> | undefined): boolean {
  const known = value?.bestLoss === null || Number.isFinite(value?.bestLoss)
  return known && isCount(value?.stalled) && isCount(value?.reductions)
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/** A value, or the JSON of one, if it is an object. */
function objectOf(value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== 'string') {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  }
  try {
    const parsed: unknown = JSON.parse(value)
    return typeof parsed === 'string' ? undefined : objectOf(parsed)
  } catch {
    return undefined
  }
}
