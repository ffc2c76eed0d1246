import { setTimeout } from 'node:timers/promises'
import { KithError } from '@kith/core'
import { inTransaction, isPassing } from '@kith/stores/postgres'
import { type Batch, type BatchItem, type BatchResult, checkBatchRow } from './batch.ts'
import type { Batches } from './batches.ts'
import { checkJob, type TakenJob } from './queue.ts'

/** How long a worker without work waits before it looks again, in milliseconds. */
const PAUSE = 500

/** Works on some queries of a batch. A query that cannot be done is an error of the whole call. */
export type Handler = (batch: Batch, items: readonly BatchItem[]) => Promise<BatchResult[]>

/** How a worker works. */
export interface WorkOptions {
  /** Jobs that are under way at the same time. */
  lanes: number
  /** Seconds without a heartbeat after which another worker gets a job. */
  lease: number
  /** The name of the batch whose jobs to run. Default: all batches. */
  batch?: string | undefined
  /** Ends when no job is left, also none that another worker has; else it waits for new ones. */
  untilEmpty: boolean
  /** Ends when the jobs under way are done. */
  signal: AbortSignal
  /** Called for each event, for the log. */
  onEvent(event: WorkEvent): void
}

/** Something that happened to a worker. */
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
   * Keeps the jobs under way from other workers, and frees the jobs of workers without a heartbeat.
   */
  async renewLeases(): Promise<void> {
    // The last call still waits for a database that is away.
    if (this.#signing) return
    this.#signing = true
    try {
      await this.#batches.queue.renew([...this.#inProgress], this.#options.lease)
      await this.#batches.queue.expire()
    } catch {
      // The database is away; the next job reports it.
    } finally {
      this.#signing = false
    }
  }

  /** Does job after job. */
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
   * The next job; undefined if there is none, or if the worker is stopped while the database is
   * down.
   */
  async #take(): Promise<TakenJob | undefined> {
    const { lease, signal, untilEmpty } = this.#options
    try {
      return await this.#retryWhileDown(() => this.#batches.queue.take(lease, this.#only))
    } catch (error) {
      // With `untilEmpty` it is not known whether jobs are left.
      if (signal.aborted && isPassing(error) && !untilEmpty) return undefined
      throw error
    }
  }

  /** Does a job. If the job or its rows in the database are damaged, the job fails, not the worker. */
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
      // The database is away and the signal was aborted: another worker gets the job later.
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

  /** The results of all queries that can be done, and why one could not. */
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
    // A query failed: each query is tried alone, so that the others of the job get their results.
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

  /** The results of some queries, one for each of them. */
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

  /** Results and the end of the job hold together or not at all; a second result of a query is dropped. */
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

  /** A try that failed before there could be results. */
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

/** The first wait for a database that is away, in milliseconds. */
const FIRST_PAUSE = 500

/** The longest one. */
const LONGEST_PAUSE = 10_000

/** How to wait for a database. */
export interface Patience {
  /** Ends the waiting: the database's error is thrown then. */
  signal?: AbortSignal | undefined
  /** Called before each wait, with its reason. */
  onWaiting(message: string): void
}

/**
 * Repeats an action with growing pauses as long as only the database fails: it restarts, cannot be
 * reached, or its disk is full. Every other error, such as a wrong password, is thrown at once.
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
