import { KithError } from '@kith/core'
import { storeKind } from '@kith/stores/internal'
import { type Batch, Batches } from '@kith/work'
import { jobDefaults } from '../job/job-defaults.ts'
import { splitAddress } from '../join/stores.ts'
import type { BatchPart } from './batch-work.ts'

/** Under which name work is submitted, and in how large jobs. */
export interface Submission {
  /** Up to 100 letters, digits, and `.`, `_`, `-`. */
  name: string
  /** Queries per job; default 256. */
  jobSize?: number | undefined
}

/** The result of a submission. */
export interface Submitted {
  name: string
  queries: number
  jobs: number
  /** Whether the batch had not been submitted before. */
  fresh: boolean
}

/** Puts the queries of a batch into the database, for `kith work` on any number of machines. */
export async function submitBatch(
  database: string,
  batch: Batch,
  parts: AsyncIterable<BatchPart>,
  { jobSize = jobDefaults.jobSize }: Submission,
): Promise<Submitted> {
  const batches = await Batches.open(database, { create: true })
  try {
    const { queries, fresh } = await batches.submit(batch, parts, jobSize)
    return { name: batch.name, queries, jobs: Math.ceil(queries / jobSize), fresh }
  } finally {
    await batches.close()
  }
}

/** The address of the database that batches are in, without the collection that the address names. */
export function databaseOf(store: string): string {
  if (storeKind(store) === 'postgres') return splitAddress(store).address
  const given = JSON.stringify(store)
  throw new KithError(
    'BAD_INPUT',
    `batches need PostgreSQL: store must be postgres://…, got ${given}`,
  )
}
