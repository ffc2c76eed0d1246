import { setTimeout } from 'node:timers/promises'
import { KithError } from '@kith/core'
import { inTransaction, isPassing } from '@kith/stores/postgres'
import { type Batch, type BatchItem, type BatchResult, checkBatchRow } from './batch.ts'
import type { Batches } from './batches.ts'
import { checkJob, type TakenJob } from './queue.ts'

/** Milliseconds that an idle worker waits before it checks for jobs again. */
const PAUSE = 500

/** Works on some queries of a batch. If one query fails, the whole call throws. */
export type Handler = (batch: Batch, items: readonly BatchItem[]) => Promise<BatchResult[]>

/** Options of a worker. */
export interface WorkOptions {
  /** The number of jobs in progress at the same time. */
  lanes: number
  /** Seconds without a heartbeat after which another worker gets a job. */
  lease: number
  /** The name of the batch whose jobs to run. Default: all batches. */
  batch?: string | undefined
  /**
   * Whether to end when no job is left, including jobs of other workers; otherwise the worker waits
   * for new jobs.
   */
  untilEmpty: boolean
  /** Ends the worker once its jobs in progress are done. */
  signal: AbortSignal
  /** Called for each event, for the log. */
  onEvent(event: WorkEvent): void
}

/** An event of a worker. */
export type WorkEvent =
  | { kind: 'done'; batch: string; queries: number }
  | { kind: 'failed'; batch: string; message: string }
  | { kind: 'waiting'; message: string }

/**
 * Works on the jobs of a database until the signal is aborted.
 *
 * ```ts
 * await work(batches, handle, { lanes: 2, lease: 60, untilEmpty: true, signal, onEvent: console.log })
 * ```
 *
 * @returns how many jobs were left when a worker with `untilEmpty` was stopped; else 0.
 */
export async function work(
  batches: Batches,
  handle: Handler,
  options: WorkOptions,
): Promise<{ left: number }> {
  const { batch, lanes, lease, untilEmpty } = options
  const only = batch === undefined ? undefined : (await batches.row(batch)).id
  const worker = new Worker(batches, handle, options, only)
  const signs = setInterval(() => void worker.renewLeases(), (lease * 1000) / 3)
  try {
    await Promise.all(Array.from({ length: lanes }, () => worker.lane()))
    return { left: untilEmpty ? await batches.queue.unfinished(only) : 0 }
  } finally {
    clearInterval(signs)
  }
}

class Worker {
  readonly #batches: Batches
  readonly #handle: Handler
  readonly #options: WorkOptions
  /** The batch whose jobs to run; undefined for all batches. */
  readonly #only: number | undefined
  readonly #inProgress = new Set<string>()
  #signing = false

  constructor(batches: Batches, handle: Handler, options: WorkOptions, only: number | undefined) {
    this.#batches = batches
    this.#handle = handle
    this.#options = options
    this.#only = only
  }

  /**
   * Renews the leases of the jobs in progress, and frees the jobs of workers without a heartbeat.
   */
  async renewLeases(): Promise<void> {
    // An earlier call still waits for a database that cannot be reached.
    if (this.#signing) return
    this.#signing = true
    try {
      await this.#batches.queue.renew([...this.#inProgress], this.#options.lease)
      await this.#batches.queue.expire()
    } catch {
      // The database cannot be reached; the next job reports the error.
    } finally {
      this.#signing = false
    }
  }

  /** Runs one job after another. */
  async lane(): Promise<void> {
    const { queue } = this.#batches
    const { signal, untilEmpty } = this.#options
    while (!signal.aborted) {
      const job = await this.#take()
      if (job) {
        this.#inProgress.add(job.id)
        try {
          await this.#do(job)
        } finally {
          this.#inProgress.delete(job.id)
        }
        continue
      }
      if (untilEmpty && (await this.#retryWhileDown(() => queue.unfinished(this.#only))) === 0)
        return
      await setTimeout(PAUSE, undefined, { signal }).catch(() => {})
    }
  }

  /**
   * Takes the next job; returns undefined if there is none, or if the worker is stopped while the
   * database is down.
   */
  async #take(): Promise<TakenJob | undefined> {
    const { lease, signal, untilEmpty } = this.#options
    try {
      return await this.#retryWhileDown(() => this.#batches.queue.take(lease, this.#only))
    } catch (error) {
      // With `untilEmpty`, the worker must know whether jobs are left.
      if (signal.aborted && isPassing(error) && !untilEmpty) return undefined
      throw error
    }
  }

  /**
   * Runs a job. If the job or its rows in the database are damaged, the job fails, not the worker.
   */
  async #do(job: TakenJob): Promise<void> {
    const { onEvent } = this.#options
    let name = `job ${job.id}`
    try {
      const { batch, items } = await this.#retryWhileDown(() => this.#load(job))
      name = batch.name
      const { results, error } = await this.#handleAll(batch, items)
      await this.#retryWhileDown(() => this.#finish(job, results, error))
      if (error) onEvent({ kind: 'failed', batch: name, message: error.message })
      else onEvent({ kind: 'done', batch: name, queries: items.length })
    } catch (error) {
      // The database cannot be reached and the signal was aborted: another worker gets the job
      // later.
      if (isPassing(error)) throw error
      await this.#retryWhileDown(() => this.#fail(job, error as Error))
      onEvent({ kind: 'failed', batch: name, message: (error as Error).message })
    }
  }

  async #load(job: TakenJob): Promise<{ batch: Batch; items: BatchItem[] }> {
    const { batch: id, from, to } = checkJob(job)
    return inTransaction(this.#batches.connections, async (client) => {
      const { rows } = await client.query<Batch>(
        'SELECT name, kind, settings, origin FROM kith.batches WHERE id = $1',
        [id],
      )
      if (!rows[0]) throw new KithError('BAD_INPUT', 'the batch of this job was removed')
      const items = await client.query<BatchItem>(
        `SELECT query, body FROM kith.items
         WHERE batch = $1 AND position >= $2 AND position < $3 ORDER BY position`,
        [id, from, to],
      )
      if (items.rows.length !== to - from) {
        throw new KithError(
          'BAD_INPUT',
          `expected ${to - from} queries (${from + 1} to ${to}), got ${items.rows.length}: rows were removed, or the job was changed`,
        )
      }
      return { batch: checkBatchRow(rows[0]), items: items.rows }
    })
  }

  /** Returns the results of all queries that succeed, and the error if a query fails. */
  async #handleAll(
    batch: Batch,
    items: readonly BatchItem[],
  ): Promise<{ results: BatchResult[]; error?: Error }> {
    try {
      return { results: await this.#handleSome(batch, items) }
    } catch (error) {
      if (isPassing(error)) throw error
      if (items.length === 1) return { results: [], error: error as Error }
    }
    // A query failed: each query is tried alone, so that the other queries of the job get their
    // results.
    const results: BatchResult[] = []
    let failure: Error | undefined
    for (const item of items) {
      try {
        results.push(...(await this.#handleSome(batch, [item])))
      } catch (error) {
        if (isPassing(error)) throw error
        failure ??= error as Error
      }
    }
    return failure ? { results, error: failure } : { results }
  }

  /** Returns the results of some queries, one per query. */
  async #handleSome(batch: Batch, items: readonly BatchItem[]): Promise<BatchResult[]> {
    const results = await this.#retryWhileDown(() => this.#handle(batch, items))
    const complete =
      results.length === items.length && items.every(({ query }, i) => results[i]!.query === query)
    if (complete) return results
    throw new KithError(
      'BAD_INPUT',
      `expected ${items.length} results, one per query, got ${results.length}`,
    )
  }

  /**
   * Stores the results and the end of the job in one transaction; drops further results of a query.
   */
  async #finish(job: TakenJob, results: readonly BatchResult[], error?: Error): Promise<void> {
    const { connections, queue } = this.#batches
    const { batch } = checkJob(job)
    await inTransaction(connections, async (client) => {
      await client.query(
        `INSERT INTO kith.results (batch, query, body)
         SELECT $1, * FROM unnest($2::text[], $3::bytea[]) ON CONFLICT (batch, query) DO NOTHING`,
        [batch, results.map(({ query }) => query), results.map(({ body }) => asBuffer(body))],
      )
      if (error) await queue.fail(client, job.id, error.message)
      else await queue.complete(client, job.id)
    })
  }

  /** Records a try that failed before there were results. */
  async #fail(job: TakenJob, error: Error): Promise<void> {
    const { connections, queue } = this.#batches
    await inTransaction(connections, (client) => queue.fail(client, job.id, error.message))
  }

  #retryWhileDown<T>(action: () => Promise<T>): Promise<T> {
    const { signal, onEvent } = this.#options
    const onWaiting = (message: string): void => onEvent({ kind: 'waiting', message })
    return retryWhileDown({ signal, onWaiting }, action)
  }
}

function asBuffer(body: Uint8Array): Buffer {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength)
}

/** The first pause while a database cannot be reached, in milliseconds. */
const FIRST_PAUSE = 500

/** The longest pause, in milliseconds. */
const LONGEST_PAUSE = 10_000

/** Options for waiting for a database. */
export interface Patience {
  /** Stops waiting: the database's error is thrown. */
  signal?: AbortSignal | undefined
  /** Called before each pause, with its reason. */
  onWaiting(message: string): void
}

/**
 * Repeats an action with growing pauses while the database is down: restarting, unreachable, or out
 * of disk space. All other errors, such as a wrong password, are thrown at once.
 *
 * ```ts
 * const progress = await retryWhileDown({ onWaiting: console.error }, () => batches.progress())
 * ```
 */
export async function retryWhileDown<T>(
  { signal, onWaiting }: Patience,
  action: () => Promise<T>,
): Promise<T> {
  for (let pause = FIRST_PAUSE; ; pause = Math.min(LONGEST_PAUSE, pause * 2)) {
    try {
      return await action()
    } catch (error) {
      if (!isPassing(error) || signal?.aborted) throw error
      const message = error instanceof KithError ? error.message : String(error)
      onWaiting(message)
      await setTimeout(pause, undefined, signal && { signal }).catch(() => {})
      if (signal?.aborted) throw error
    }
  }
}
