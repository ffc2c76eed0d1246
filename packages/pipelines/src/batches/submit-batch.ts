import { KithError } from '@kith/core'
import { splitAddress, storeKind } from '@kith/stores/address'
import { type Batch, Batches } from '@kith/work'
import { jobDefaults } from '../job/job-defaults.ts'
import type { BatchPart } from './batch-work.ts'

/** The name and the job size of a submission. */
export interface Submission {
  /** The name: up to 100 letters, digits, and `.`, `_`, `-`. */
  name: string
  /** Queries per job; default 256. */
  jobSize?: number | undefined
}

/** The result of a submission. */
export interface Submitted {
  name: string
  queries: number
  jobs: number
  /** Whether this call created the batch; false if it had been submitted before. */
  fresh: boolean
}

/** Adds the queries of a batch to the database, for `kith work` on any number of machines. */
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

/** Returns the address of the database with the batches, without the name of a collection. */
export function databaseOf(store: string): string {
  if (storeKind(store) === 'postgres') return splitAddress(store).address
  const given = JSON.stringify(store)
  throw new KithError(
    'BAD_INPUT',
    `batches need PostgreSQL: store must be postgres://…, got ${given}`,
  )
}
