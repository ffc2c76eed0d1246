import { KithError } from '@kith/core'
import type { Study } from './study.ts'

/** A study as the database knows it. @internal */
export interface StudyRow extends Study {
  id: number
  queries: number
  digest: string
}

/** A row of kith.studies, which anybody with a client for SQL can have changed. */
export function checkStudyRow<T extends Study>(row: T): T {
  for (const column of ['settings', 'origin'] as const) {
    const value: unknown = row[column]
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) continue
    throw new KithError(
      'BAD_INPUT',
      `the database's row of the study ${row.name} was changed: its ${column} are ${JSON.stringify(value)?.slice(0, 200)}, expected an object`,
    )
  }
  return row
}
