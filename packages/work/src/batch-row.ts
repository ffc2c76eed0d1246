import { KithError } from '@kith/core'
import type { Batch } from './batch.ts'

/** A batch as the database knows it. @internal */
export interface BatchRow extends Batch {
  id: number
  queries: number
  digest: string
}

/** A row of kith.batches, which anybody with a client for SQL can have changed. */
export function checkBatchRow<T extends Batch>(row: T): T {
  for (const column of ['settings', 'origin'] as const) {
    const value: unknown = row[column]
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) continue
    throw new KithError(
      'BAD_INPUT',
      `the database's row of the batch ${row.name} was changed: its ${column} are ${JSON.stringify(value)?.slice(0, 200)}, expected an object`,
    )
  }
  return row
}
