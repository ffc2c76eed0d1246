import { KithError } from '@kith/core'
import {
  type ConnectionOptions,
  type Connections,
  type CopyField,
  checkStorable,
  connectPostgres,
  copyRows,
  inTransaction,
  migrate,
  postgresError,
} from '@kith/stores/postgres'
import type { PoolClient } from 'pg'
import {
  type Batch,
  type BatchItem,
  type BatchProgress,
  type BatchResult,
  type BatchRow,
  checkBatchRow,
  migrations,
} from './batch.ts'
import { checkItems, checkRead, DigestedItems } from './check-items.ts'
import { Queue } from './queue.ts'

/** Results per read. */
const READ = 1000

/** Options for opening the batches of a database. */
export interface OpenBatchesOptions extends ConnectionOptions {
  /** Whether to create missing tables, to submit or wait for batches. Default: false. */
  create?: boolean | undefined
}

/**
 * The batches of a database, for programs that submit them, work on them or monitor them.
 *
 * ```ts
 * await using batches = await Batches.open('postgres://localhost/kith')
 * console.log(await batches.progress())
 * ```
 */
export class Batches {
  /** @internal */
  readonly connections: Connections
  /** @internal */
  readonly queue: Queue

  private constructor(connections: Connections, queue: Queue) {
    this.connections = connections
    this.queue = queue
  }

  /**
   * Opens the batches of a database. Throws if the database never had a batch, unless `create` is
   * set.
   */
  static async open(url: string, options: OpenBatchesOptions = {}): Promise<Batches> {
    const opened = await Batches.#open(url, options)
    if (typeof opened === 'string') throw noBatches(opened)
    return opened
  }

  /**
   * Opens the batches of a database; returns undefined if it never had a batch. Creates nothing.
   */
  static async find(url: string): Promise<Batches | undefined> {
    const opened = await Batches.#open(url, {})
    return typeof opened === 'string' ? undefined : opened
  }

  /** Opens the batches of a database; returns the database's name if it never had a batch. */
  static async #open(url: string, options: OpenBatchesOptions): Promise<Batches | string> {
    const connections = await connectPostgres(url, options)
    try {
      if (await migrate(connections, 'work', migrations, options)) {
        return new Batches(connections, await Queue.open(connections))
      }
      await connections.pool.end()
      return connections.name
    } catch (error) {
      await connections.pool.end()
      throw postgresError(connections.name, error)
    }
  }

  /**
   * Submits a batch in one transaction, in jobs of `jobSize` queries. Submitting the same batch
   * again, at the same time or later, changes nothing; a different batch with the same name is an
   * error.
   *
   * @returns how many queries the batch has, and whether it is new.
   */
  async submit(
    batch: Batch,
    items: Iterable<BatchItem> | AsyncIterable<BatchItem>,
    jobSize: number,
  ): Promise<{ queries: number; fresh: boolean }> {
    if (!Number.isSafeInteger(jobSize) || jobSize < 1) {
      throw new KithError('BAD_SETTING', `a job must have at least 1 query, got ${jobSize}`)
    }
    checkStorable('the batch name', batch.name)
    const digested = new DigestedItems(batch, items)
    return inTransaction(this.connections, async (client) => {
      // Programs that submit the same batch at the same time wait for each other.
      const lock = 'SELECT pg_advisory_xact_lock(hashtext($1))'
      await client.query(lock, [`kith batch ${batch.name}`])
      const known = await this.#row(client, batch.name)
      if (known) {
        for await (const _ of digested) {
        }
        if (digested.digest() === known.digest) return { queries: known.queries, fresh: false }
        throw new KithError(
          'BAD_INPUT',
          `batch ${batch.name} already exists with other settings or queries; choose another name, or remove that batch`,
        )
      }
      const id = await this.#insert(client, batch, digested)
      const jobs = []
      for (let from = 0; from < digested.count; from += jobSize) {
        jobs.push({ batch: id, from, to: Math.min(from + jobSize, digested.count) })
      }
      await this.queue.put(client, jobs)
      return { queries: digested.count, fresh: true }
    })
  }

  /** Returns the progress of all batches, in the order of their submission. */
  async progress(): Promise<BatchProgress[]> {
    const rows = await this.#query(
      `SELECT s.*, count(r.done) AS done,
         count(*) FILTER (WHERE r.done > now() - interval '1 minute') AS lately,
         extract(epoch FROM now() - min(r.done))::float8 AS since,
         extract(epoch FROM max(r.done) - min(r.done))::float8 AS took
       FROM kith.batches s LEFT JOIN kith.results r ON r.batch = s.id
       GROUP BY s.id ORDER BY s.id`,
    )
    return Promise.all(
      rows.map(async (row) => {
        const { id, name, kind, settings, origin, queries } = row as unknown as BatchRow
        const [done, lately] = [Number(row['done']), Number(row['lately'])]
        const [since, took] = [row['since'], row['took']] as (number | null)[]
        const finished = done === queries
        // The rate over the last minute; for a finished batch, over its whole time.
        const rate = finished
          ? done / Math.max(1, took!)
          : lately / Math.max(1, Math.min(60, since!))
        const { active, failed } = await this.queue.look(id)
        const failures = failed.map(({ from, to, message }) => ({ from, to, message }))
        return {
          ...{ name, kind, settings, origin, queries, done, active, failures, rate },
          secondsLeft: finished ? 0 : rate > 0 ? (queries - done) / rate : undefined,
        }
      }),
    )
  }

  /**
   * Returns a batch by name, unchecked, so that a batch that was changed in the database can still
   * be removed. @internal
   */
  async row(name: string): Promise<BatchRow> {
    const row = await this.#row(this.connections.pool, name)
    if (row) return row
    throw new KithError(
      'BAD_INPUT',
      `${this.connections.name}: no batch ${name}; kith jobs lists the batches`,
    )
  }

  /** Returns a batch by its name. */
  async find(name: string): Promise<Batch & { queries: number }> {
    const { kind, settings, origin, queries } = checkBatchRow(await this.row(name))
    return { name, kind, settings, origin, queries }
  }

  /**
   * Yields the results of a batch from a place on, with their items, in the order of the queries. A
   * missing result or item is an error, and so is an extra item.
   */
  async *results(
    name: string,
    start = 0,
  ): AsyncGenerator<{ item: BatchItem; result: BatchResult }> {
    const batch = await this.row(name)
    const { id, queries } = batch
    await checkItems((sql, values) => this.#query(sql, values), batch)
    for (let from = start; from < queries; from += READ) {
      const to = Math.min(from + READ, queries)
      const rows = await this.#query(
        `SELECT position, query, i.body AS item, r.body AS result
         FROM kith.items i LEFT JOIN kith.results r USING (batch, query)
         WHERE batch = $1 AND position >= $2 AND position < $3 ORDER BY position`,
        [id, from, to],
      )
      checkRead(batch, rows, { from, to })
      for (const row of rows) {
        const query = row['query'] as string
        if (row['result'] === null) {
          throw new KithError(
            'BAD_INPUT',
            `batch ${name} is not finished: query ${query} has no result yet; kith jobs shows the progress`,
          )
        }
        yield {
          item: { query, body: row['item'] as Buffer },
          result: { query, body: row['result'] as Buffer },
        }
      }
    }
  }

  /** Retries the jobs of a batch that were set aside; returns how many there were. */
  async retry(name: string): Promise<number> {
    const { id } = await this.row(name)
    const { failed } = await this.queue.look(id)
    await this.queue.retry(failed.map((job) => job.id))
    return failed.length
  }

  /** Removes a batch with its jobs and results. */
  async remove(name: string): Promise<void> {
    const { id } = await this.row(name)
    await inTransaction(this.connections, async (client) => {
      await this.queue.remove(client, id)
      await client.query('DELETE FROM kith.batches WHERE id = $1', [id])
    })
  }

  /** Closes the connections to the database; may be called twice. */
  async close(): Promise<void> {
    if (!this.connections.pool.ending) await this.connections.pool.end()
  }

  /** Does the same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #insert(client: PoolClient, batch: Batch, items: DigestedItems): Promise<number> {
    const { rows } = await client.query(
      `INSERT INTO kith.batches (name, kind, settings, origin, digest, queries)
       VALUES ($1, $2, $3, $4, '', 0) RETURNING id`,
      [batch.name, batch.kind, JSON.stringify(batch.settings), JSON.stringify(batch.origin)],
    )
    const id = rows[0].id as number
    const fields = async function* (): AsyncGenerator<CopyField[]> {
      let position = 0
      for await (const { query, body } of items) {
        yield [whole(id), whole(position++), query, body]
      }
    }
    await copyRows(client, 'kith.items (batch, position, query, body)', fields())
    await client.query('UPDATE kith.batches SET digest = $2, queries = $3 WHERE id = $1', [
      id,
      items.digest(),
      items.count,
    ])
    return id
  }

  async #row(db: Pick<PoolClient, 'query'>, name: string): Promise<BatchRow | undefined> {
    try {
      const { rows } = await db.query('SELECT * FROM kith.batches WHERE name = $1', [name])
      return rows[0]
    } catch (error) {
      throw postgresError(this.connections.name, error)
    }
  }

  async #query(sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    try {
      return (await this.connections.pool.query(sql, values)).rows
    } catch (error) {
      throw postgresError(this.connections.name, error)
    }
  }
}

function noBatches(name: string): KithError {
  return new KithError(
    'BAD_INPUT',
    `${name} has no batches; check the address, or submit a batch (kith rerank --submit, kith labels --submit)`,
  )
}

/** Encodes a number for COPY. */
function whole(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeInt32BE(value)
  return bytes
}
