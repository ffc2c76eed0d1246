import { KithError } from '@kith/core'
import { type Connections, postgresError } from '@kith/stores/postgres'
import type { PoolClient } from 'pg'
import type PgBoss from 'pg-boss'

/**
 * The schema of pg-boss. It is separate from others, because an application may use a different
 * version of pg-boss.
 */
const SCHEMA = 'kith_jobs'

const NAME = 'queries'

/** The number of tries after which a job is set aside. */
const TRIES = 3

/** Jobs per insert. */
const INSERTED = 1000

/** Maximum length of a stored error message in characters. */
const LONGEST_MESSAGE = 2000

/**
 * The queue of jobs. pg-boss gives each job to one worker, and again to a worker after a failure or
 * when the worker died.
 */
export class Queue {
  readonly #boss: PgBoss
  readonly #connections: Connections

  private constructor(boss: PgBoss, connections: Connections) {
    this.#boss = boss
    this.#connections = connections
  }

  static async open(connections: Connections): Promise<Queue> {
    // Loaded here: most programs that can submit a batch never do, and should not start more
    // slowly.
    const { default: Boss } = await import('pg-boss')
    const boss = new Boss({
      db: through(connections.pool),
      schema: SCHEMA,
      // Workers call `expire` when it is useful, instead of pg-boss's own timer.
      supervise: false,
      schedule: false,
    })
    boss.on('error', () => {})
    await boss.start()
    await boss.createQueue(NAME, {
      name: NAME,
      policy: 'standard',
      retryLimit: TRIES - 1,
      retryDelay: 1,
      retryBackoff: true,
    })
    return new Queue(boss, connections)
  }

  /** Puts jobs into the queue, as a part of a transaction. */
  async put(client: PoolClient, jobs: readonly JobData[]): Promise<void> {
    for (let from = 0; from < jobs.length; from += INSERTED) {
      const part = jobs.slice(from, from + INSERTED)
      const inserts = part.map((data, i) => ({ id: idOf(data.batch, from + i), name: NAME, data }))
      await this.#boss.insert(inserts, { db: through(client) })
    }
  }

  /**
   * Takes the next job for some seconds; returns undefined if there is none. pg-boss's own `fetch`
   * leases a job for the queue's expiration time, so that a worker killed before its first `renew`
   * would keep the job for 15 minutes; `fetch` also hides errors.
   *
   * @param batch The batch whose jobs to take. Default: all batches.
   */
  async take(seconds: number, batch?: number | undefined): Promise<TakenJob | undefined> {
    const [job] = await this.#query(
      `WITH next AS (
         SELECT id FROM ${SCHEMA}.job
         WHERE name = $1 AND state < 'active' AND start_after < now() AND ${ofBatch('$3')}
         ORDER BY priority DESC, created_on, id LIMIT 1 FOR UPDATE SKIP LOCKED
       )
       UPDATE ${SCHEMA}.job SET state = 'active', started_on = now(),
         expire_in = $2 * interval '1 second',
         retry_count = CASE WHEN started_on IS NULL THEN retry_count ELSE retry_count + 1 END
       FROM next WHERE name = $1 AND job.id = next.id RETURNING job.id, data`,
      [NAME, seconds, endOf(batch)],
    )
    return job && { id: job['id'] as string, data: job['data'] }
  }

  /** Renews the leases of some jobs: no other worker gets them for this many seconds. */
  async renew(ids: readonly string[], seconds: number): Promise<void> {
    await this.#query(
      `UPDATE ${SCHEMA}.job SET started_on = now(), expire_in = $3 * interval '1 second'
       WHERE name = $1 AND id = ANY ($2) AND state = 'active'`,
      [NAME, ids, seconds],
    )
  }

  /** Frees the jobs of workers that sent no heartbeat. */
  async expire(): Promise<void> {
    await this.#boss.expire()
  }

  async complete(client: PoolClient, id: string): Promise<void> {
    await this.#boss.complete(NAME, id, {}, { db: through(client) })
  }

  /**
   * Records a failed try: the job runs again, or is set aside with its error after the last try.
   */
  async fail(client: PoolClient, id: string, message: string): Promise<void> {
    await this.#boss.fail(NAME, id, { message: legible(message) }, { db: through(client) })
  }

  /** Returns how many jobs, of a batch or of all batches, are waiting or in progress. */
  async unfinished(batch?: number | undefined): Promise<number> {
    const rows = await this.#query(
      `SELECT count(*) FROM ${SCHEMA}.job
       WHERE name = $1 AND state <= 'active' AND ${ofBatch('$2')}`,
      [NAME, endOf(batch)],
    )
    return Number(rows[0]!['count'])
  }

  /** Returns the jobs of a batch that are in progress or were set aside. */
  async look(batch: number): Promise<{ active: number; failed: FailedJob[] }> {
    const rows = await this.#query(
      `SELECT id, state, data, output FROM ${SCHEMA}.job
       WHERE name = $1 AND state IN ('active', 'failed') AND right(id::text, 12) = $2
       ORDER BY id`,
      [NAME, idEnd(batch)],
    )
    const failed = rows.filter(({ state }) => state === 'failed')
    return {
      active: rows.length - failed.length,
      failed: failed.map(({ id, data, output }) => {
        const { from, to } = readJob({ id: id as string, data }) ?? {}
        return { id: id as string, from, to, message: messageOf(output) }
      }),
    }
  }

  /** Gives jobs that were set aside one more try. */
  async retry(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#boss.retry(NAME, [...ids])
  }

  /** Removes the jobs of a batch, as a part of a transaction. */
  async remove(client: PoolClient, batch: number): Promise<void> {
    await client.query(`DELETE FROM ${SCHEMA}.job WHERE name = $1 AND right(id::text, 12) = $2`, [
      NAME,
      idEnd(batch),
    ])
  }

  async #query(sql: string, values: unknown[]): Promise<Record<string, unknown>[]> {
    try {
      return (await this.#connections.pool.query(sql, values)).rows
    } catch (error) {
      throw postgresError(this.#connections.name, error)
    }
  }
}

/**
 * Returns the SQL condition that a job belongs to the batch of a value, or that the value is null.
 */
function ofBatch(value: string): string {
  return `(${value}::text IS NULL OR right(id::text, 12) = ${value})`
}

function endOf(batch: number | undefined): string | null {
  return batch === undefined ? null : idEnd(batch)
}

/** A job that was set aside, and the reason. */
interface FailedJob {
  id: string
  /** The places of the job's queries; undefined if its row no longer contains them. */
  from: number | undefined
  to: number | undefined
  message: string
}

function through(client: Pick<PoolClient, 'query'>): PgBoss.Db {
  return { executeSql: (sql, values) => client.query(sql, values) }
}

/**
 * Escapes a message for the database, which refuses U+0000 and unpaired surrogates, and truncates
 * it.
 */
function legible(message: string): string {
  return message
    .slice(0, LONGEST_MESSAGE)
    .replaceAll('\0', '\\u0000')
    .replace(/\p{Surrogate}/gu, '\ufffd')
}

function messageOf(output: unknown): string {
  const { message, value } = (output ?? {}) as { message?: unknown; value?: { message?: unknown } }
  const inner = value?.message
  // pg-boss reports a timeout for jobs whose worker disappeared.
  if (typeof inner === 'string' && inner.includes('timeout')) {
    return 'the workers of this job disappeared before it was done'
  }
  return String(message ?? inner ?? 'unknown reason')
}

/** Some queries of a batch: a range of places. */
interface JobData {
  batch: number
  from: number
  to: number
}

/** A taken job as the database stores it, unchecked. */
export interface TakenJob {
  id: string
  data: unknown
}

/** The largest number that the tables of batches can hold. */
const LARGEST = 2 ** 31 - 1

/**
 * Returns the suffix of the ids of a batch's jobs, which identifies the jobs even if their data
 * were changed.
 */
function idEnd(batch: number): string {
  return hex(batch, 12)
}

/**
 * Returns the id of a job. The same job always has the same id, and ids sort in the order of the
 * jobs of a batch.
 */
function idOf(batch: number, job: number): string {
  return `${hex(job, 8)}-0000-4000-8000-${idEnd(batch)}`
}

/** Reads the range of queries of a job; returns undefined if Kith did not write the job's data. */
function readJob({ id, data }: TakenJob): JobData | undefined {
  if (typeof data !== 'object' || data === null) return undefined
  const { batch, from, to } = data as Record<string, unknown>
  const whole = [batch, from, to].every(
    (value) =>
      Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= LARGEST,
  )
  if (!whole) return undefined
  const job = data as JobData
  return job.from < job.to && id.endsWith(`-${idEnd(job.batch)}`) ? job : undefined
}

/** Reads the range of queries of a job; throws if the job was changed in the database. */
export function checkJob(job: TakenJob): JobData {
  const data = readJob(job)
  if (data) return data
  throw new KithError(
    'BAD_INPUT',
    `this job was changed in the database: expected { batch, from, to }, got ${JSON.stringify(job.data)?.slice(0, 200)}; remove the batch (kith jobs remove) and submit it again`,
  )
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}
