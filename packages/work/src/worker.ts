import { setTimeout } from 'node:timers/promises'
import { KithError } from '@kith/core'
import { inTransaction, isPassing } from '@kith/stores/postgres'
import type { TakenJob } from './queue.ts'
import type { Studies } from './studies.ts'
import type { Study, StudyItem, StudyResult } from './study.ts'

/** How long a worker without work waits before it looks again, in milliseconds. */
const PAUSE = 500

/** The longest wait for a database that is away. */
const LONGEST_PAUSE = 10_000

/** Works on some queries of a study. A query that cannot be done is an error of the whole call. */
export type Handler = (study: Study, items: readonly StudyItem[]) => Promise<StudyResult[]>

/** How a worker works. */
export interface WorkOptions {
  /** Jobs that are under way at the same time. */
  lanes: number
  /** Seconds without a sign of life after which another worker gets a job. */
  lease: number
  /** Ends when no job is left, also none of others; else it waits for new ones. */
  untilEmpty: boolean
  /** Ends when the jobs under way are done. */
  signal: AbortSignal
  /** Hears what a person might want to know. */
  onEvent(event: WorkEvent): void
}

/** Something that happened to a worker. */
export type WorkEvent =
  | { kind: 'done'; study: string; queries: number }
  | { kind: 'failed'; study: string; message: string }
  | { kind: 'waiting'; message: string }

/** Works on the jobs of all studies of a database until it is told to stop. */
export async function work(studies: Studies, handle: Handler, options: WorkOptions): Promise<void> {
  const worker = new Worker(studies, handle, options)
  const signs = setInterval(() => void worker.signOfLife(), (options.lease * 1000) / 3)
  try {
    await Promise.all(Array.from({ length: options.lanes }, () => worker.lane()))
  } finally {
    clearInterval(signs)
  }
}

class Worker {
  readonly #studies: Studies
  readonly #handle: Handler
  readonly #options: WorkOptions
  readonly #underWay = new Set<string>()
  #signing = false

  constructor(studies: Studies, handle: Handler, options: WorkOptions) {
    this.#studies = studies
    this.#handle = handle
    this.#options = options
  }

  /** Keeps others from taking what is under way, and takes from those who are silent. */
  async signOfLife(): Promise<void> {
    // The last one waits for a database that is away.
    if (this.#signing) return
    this.#signing = true
    try {
      await this.#studies.queue.renew([...this.#underWay], this.#options.lease)
      await this.#studies.queue.expire()
    } catch {
      // The database is away; whoever needs it now says so.
    } finally {
      this.#signing = false
    }
  }

  /** Does job after job. */
  async lane(): Promise<void> {
    const { queue } = this.#studies
    while (!this.#options.signal.aborted) {
      const job = await queue.take()
      if (job) {
        this.#underWay.add(job.id)
        try {
          await this.#patiently(() => queue.renew([job.id], this.#options.lease))
          await this.#do(job)
        } finally {
          this.#underWay.delete(job.id)
        }
        continue
      }
      // No job may also mean no database: this asks again, patiently.
      if (this.#options.untilEmpty && (await this.#patiently(() => queue.unfinished())) === 0)
        return
      await setTimeout(PAUSE, undefined, { signal: this.#options.signal }).catch(() => {})
    }
  }

  async #do(job: TakenJob): Promise<void> {
    const { study, items } = await this.#patiently(() => this.#load(job))
    // Its study was removed in the meantime.
    if (!study) return
    const { results, error } = await this.#handleAll(study, items)
    await this.#patiently(() => this.#finish(job, results, error))
    if (error) this.#options.onEvent({ kind: 'failed', study: study.name, message: error.message })
    else this.#options.onEvent({ kind: 'done', study: study.name, queries: items.length })
  }

  async #load({ study: id, from, to }: TakenJob): Promise<{ study?: Study; items: StudyItem[] }> {
    return inTransaction(this.#studies.connections, async (client) => {
      const { rows } = await client.query(
        'SELECT name, kind, settings, origin FROM kith.studies WHERE id = $1',
        [id],
      )
      const items = await client.query(
        `SELECT query, body FROM kith.items
         WHERE study = $1 AND position >= $2 AND position < $3 ORDER BY position`,
        [id, from, to],
      )
      return { study: rows[0], items: items.rows }
    })
  }

  /** The results of all queries that can be done, and why one could not. */
  async #handleAll(
    study: Study,
    items: readonly StudyItem[],
  ): Promise<{ results: StudyResult[]; error?: Error }> {
    try {
      return { results: await this.#patiently(() => this.#handle(study, items)) }
    } catch (error) {
      if (items.length === 1) return { results: [], error: error as Error }
    }
    // One query must not cost the others of its job their results.
    const results: StudyResult[] = []
    let failure: Error | undefined
    for (const item of items) {
      try {
        results.push(...(await this.#patiently(() => this.#handle(study, [item]))))
      } catch (error) {
        failure ??= error as Error
      }
    }
    return failure ? { results, error: failure } : { results }
  }

  /** Results and the end of the job hold together or not at all; a second result of a query is dropped. */
  async #finish(job: TakenJob, results: readonly StudyResult[], error?: Error): Promise<void> {
    const { connections, queue } = this.#studies
    await inTransaction(connections, async (client) => {
      await client.query(
        `INSERT INTO kith.results (study, query, body)
         SELECT $1, * FROM unnest($2::text[], $3::bytea[]) ON CONFLICT (study, query) DO NOTHING`,
        [job.study, results.map(({ query }) => query), results.map(({ body }) => asBuffer(body))],
      )
      if (error) await queue.fail(client, job.id, error.message.replace(/^kith: /, ''))
      else await queue.complete(client, job.id)
    })
  }

  /** Does something with the database again and again while it is only the database that fails. */
  async #patiently<T>(action: () => Promise<T>): Promise<T> {
    for (let pause = PAUSE; ; pause = Math.min(LONGEST_PAUSE, pause * 2)) {
      try {
        return await action()
      } catch (error) {
        if (!isPassing(error)) throw error
        // Who is told to stop does not wait: the job goes to somebody else.
        if (this.#options.signal.aborted) throw error
        const message = error instanceof KithError ? error.message : String(error)
        this.#options.onEvent({ kind: 'waiting', message: message.replace(/^kith: /, '') })
        await setTimeout(pause, undefined, { signal: this.#options.signal }).catch(() => {})
      }
    }
  }
}

function asBuffer(body: Uint8Array): Buffer {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength)
}
