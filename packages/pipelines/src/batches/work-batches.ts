import { availableParallelism } from 'node:os'
import { throwIfAborted } from '@kith/core/internal'
import { Batches, retryWhileDown, type WorkEvent, work } from '@kith/work'
import type { Hooks } from '../job/hooks.ts'
import { jobDefaults } from '../job/job-defaults.ts'
import { type Missing, MissingReport, remarkMissing } from '../join/missing.ts'
import { BatchPool } from './batch-pool.ts'
import { checkBatch } from './check-batch.ts'
import { databaseOf } from './submit-batch.ts'

/** The database with the jobs, and the options of a worker. */
export interface WorkInputs {
  /** The database: `postgres://…`. */
  store: string
  /** Number of jobs to run at the same time, each on its own thread; default: all cores. */
  workers?: number | undefined
  /** Seconds without a heartbeat after which a job goes to another worker; default 60. */
  lease?: number | undefined
  /** The name of the batch to process. Default: all batches. */
  batch?: string | undefined
  /** Ends when no job is left (of `batch`, if given), instead of waiting for new jobs. */
  untilEmpty?: boolean | undefined
}

/** The result of a worker. */
export interface WorkResult {
  queries: number
  /** Number of failed attempts. */
  failures: number
  /** Number of remaining jobs when a worker with `untilEmpty` was stopped; else 0. */
  left: number
  /** Queries and documents that were skipped because they lacked an input. */
  missing: readonly Missing[]
}

/**
 * Runs the jobs that `submitRerank` or `submitLabels` put into a database. When the signal is
 * aborted, it finishes the jobs in progress and returns. Remarks report each job.
 *
 * ```ts
 * await workBatches({ store: 'postgres://localhost/kith', untilEmpty: true })
 * ```
 */
export async function workBatches(inputs: WorkInputs, hooks: Hooks = {}): Promise<WorkResult> {
  const { workers = availableParallelism(), lease = jobDefaults.lease } = inputs
  const { batch: only, untilEmpty = false } = inputs
  const { onRemark, signal = new AbortController().signal } = hooks
  const address = databaseOf(inputs.store)
  const onWaiting = (message: string): void => onRemark?.(`waiting for the database: ${message}`)
  const batches = await openBatches(address, workers, lease, { signal, onWaiting })
  const pool = new BatchPool(address, workers)
  const report = new MissingReport()
  const result = { queries: 0, failures: 0, left: 0 }
  const onEvent = (event: WorkEvent): void => {
    if (event.kind === 'done') {
      result.queries += event.queries
      onRemark?.(`${event.batch}: ${event.queries} queries done`)
    } else if (event.kind === 'failed') {
      result.failures++
      onRemark?.(`${event.batch}: job failed: ${event.message}`)
    } else onWaiting(event.message)
  }
  try {
    const { left } = await work(
      batches,
      async (batch, items) => {
        const { results, missing } = await pool.run(checkBatch(batch), items)
        report.addAll(missing)
        const own = new MissingReport()
        own.addAll(missing)
        remarkMissing(own, hooks, `${batch.name}: `)
        return results
      },
      { batch: only, lanes: workers, lease, untilEmpty, signal, onEvent },
    )
    result.left = left
  } finally {
    await pool.close()
    await batches.close()
  }
  return { ...result, missing: report.list() }
}

/** Opens the queue; waits while the database is down, until the signal is aborted. */
async function openBatches(
  address: string,
  workers: number,
  lease: number,
  waiting: { signal: AbortSignal; onWaiting: (message: string) => void },
): Promise<Batches> {
  // One connection for each job that finishes, and one for heartbeats.
  const options = { most: workers + 1, silence: lease, create: true }
  try {
    return await retryWhileDown(waiting, () => Batches.open(address, options))
  } catch (error) {
    throwIfAborted(waiting.signal)
    throw error
  }
}
