import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { KithError } from '@kith/core'
import type { Pool, PoolClient } from 'pg'
import { optionalPeer } from '../store.ts'

/** Default maximum of simultaneous connections. */
const MOST_CONNECTIONS = 4

/** Connection timeout in milliseconds, after which the server counts as unreachable. */
const PATIENCE = 10_000

/** Connections to one database. */
export interface Connections {
  pool: Pool
  /** The address without its password, for messages. */
  name: string
}

/** Options of a database connection. */
export interface ConnectionOptions {
  /** Maximum of simultaneous connections; default 4. */
  most?: number | undefined
  /**
   * Seconds after which the server ends a transaction whose program sends nothing: otherwise a
   * frozen program would block others that wait for its rows. Default: never.
   */
  silence?: number | undefined
}

/**
 * Opens a pool; TLS and other settings come from the URL (`?sslmode=verify-full&sslrootcert=…`).
 */
export async function connectPostgres(
  url: string,
  { most = MOST_CONNECTIONS, silence }: ConnectionOptions = {},
): Promise<Connections> {
  const { default: pg } = await optionalPeer('pg', () => import('pg'))
  const name = nameOf(url)
  let pool: Pool
  try {
    pool = new pg.Pool({
      connectionString: url.replace(/#.*$/, ''),
      max: most,
      connectionTimeoutMillis: PATIENCE,
      keepAlive: true,
      ...(silence === undefined ? {} : { idle_in_transaction_session_timeout: silence * 1000 }),
    })
  } catch (error) {
    throw postgresError(name, error)
  }
  // The next call replaces an idle connection that breaks.
  pool.on('error', () => {})
  return { pool, name }
}

/** Runs a function with a connection; closes the connection if it is broken. */
export async function withClient<T>(
  { pool, name }: Connections,
  use: (client: PoolClient) => Promise<T>,
): Promise<T> {
  let client: PoolClient | undefined
  let failure: Error | undefined
  // A lost connection also emits an error here, which would end the program without a listener.
  const onError = (error: Error): void => {
    failure = error
  }
  try {
    client = await pool.connect()
    client.on('error', onError)
    return await use(client)
  } catch (error) {
    // After a protocol error, later answers of the connection could belong to other requests.
    if (isPassing(error) || codeOf(error) === PROTOCOL) failure ??= error as Error
    throw postgresError(name, error)
  } finally {
    client?.off('error', onError)
    client?.release(failure)
  }
}

/** Runs a function in a transaction, which is committed as a whole or not at all. */
export function inTransaction<T>(
  connections: Connections,
  use: (client: PoolClient) => Promise<T>,
): Promise<T> {
  return withClient(connections, async (client) => {
    await client.query('BEGIN')
    try {
      const result = await use(client)
      await client.query('COMMIT')
      return result
    } catch (error) {
      // If the rollback fails too, the connection and its transaction are lost.
      await client.query('ROLLBACK').catch(() => {})
      throw error
    }
  })
}

/** Converts an error of PostgreSQL or of the connection to an error that names the database. */
export function postgresError(name: string, error: unknown): KithError {
  if (error instanceof KithError) return error
  const { message, code, detail } = error as Error & { code?: string; detail?: string }
  if (ENDED_POOL.test(message))
    return new KithError('CLOSED', `${name} is used after it was closed`)
  const more = detail ? ` (${detail})` : ''
  // An AggregateError, with one error per address tried, has an empty message.
  const wrapped = new KithError('BAD_INPUT', `${name}: ${message || code}${more}`)
  wrapped.cause = error
  return wrapped
}

/** The error message of pg if a pool is used after its end. */
const ENDED_POOL = /^Cannot use a pool after calling end/

/** PostgreSQL's error code for a message that breaks the protocol. */
const PROTOCOL = '08P01'

/** Messages of pg, without a code, for a connection that broke or was never established. */
const BROKEN =
  /^(Connection terminated|timeout e(xceeded|xpired)|Query read timeout|Client .* not queryable$)/

/**
 * Returns whether an error is transient, caused by the database and not by the request: the
 * database was unreachable, shut down, or out of disk, memory or connections.
 */
export function isPassing(error: unknown): boolean {
  const cause = error instanceof KithError ? error.cause : error
  if (!(cause instanceof Error)) return false
  const code = codeOf(cause)
  if (code === undefined) return BROKEN.test(cause.message)
  // The server answers ERROR if data break the protocol, such as U+0000 in a statement; a retry
  // would fail again. A pooler reports FATAL with this code when it has lost the server.
  if (code === PROTOCOL) return (cause as { severity?: string }).severity === 'FATAL'
  // PostgreSQL's codes: connection errors; out of disk, memory or connections (but not a configured
  // limit); shutdown (but not a dropped database); I/O errors (but not a missing file); transaction
  // conflicts; a server that became a read-only replica; an idle transaction timeout. The other
  // codes are the system's.
  return (
    /^(08|53[123]00|57P0[1235]|58000|58030|40|25006|25P03)/.test(code) ||
    /^E(CONN|PIPE|HOST|NET|TIMEDOUT|AI_)/.test(code)
  )
}

function codeOf(error: unknown): string | undefined {
  const cause = error instanceof KithError ? error.cause : error
  return (cause as NodeJS.ErrnoException | undefined)?.code
}

function nameOf(url: string): string {
  try {
    const { protocol, host, pathname } = new URL(url)
    return `${protocol}//${host}${pathname}`
  } catch {
    throw new KithError(
      'BAD_SETTING',
      'the database address must be a URL such as postgres://user@host/database',
    )
  }
}

/** A field of a row in COPY's binary format: its bytes, or null. */
export type CopyField = Uint8Array | string | null

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
const END = Buffer.from([0xff, 0xff])

/** Bytes to send at a time. */
const BLOCK = 1 << 18

/** Loads rows into a table with binary COPY, PostgreSQL's fastest way to load rows. */
export async function copyRows(
  client: PoolClient,
  target: string,
  rows: Iterable<readonly CopyField[]> | AsyncIterable<readonly CopyField[]>,
): Promise<void> {
  const { from } = await optionalPeer('pg-copy-streams', () => import('pg-copy-streams'))
  const sink = client.query(from(`COPY ${target} FROM STDIN WITH (FORMAT binary)`))
  await pipeline(Readable.from(blocks(rows)), sink)
}

/**
 * Reads the rows of a query with binary COPY: a vector takes a third of the time that it takes as
 * text, which is most of the time of reranking from a database. Values must be literals in the
 * query.
 */
export async function copyOut(client: PoolClient, query: string): Promise<(Buffer | null)[][]> {
  const { to } = await optionalPeer('pg-copy-streams', () => import('pg-copy-streams'))
  const chunks: Buffer[] = []
  for await (const chunk of client.query(to(`COPY (${query}) TO STDOUT WITH (FORMAT binary)`))) {
    chunks.push(chunk)
  }
  const bytes = Buffer.concat(chunks)
  const rows: (Buffer | null)[][] = []
  // Rows follow the signature; a field count of −1 marks the end.
  for (let at = SIGNATURE.length; bytes.readInt16BE(at) >= 0; ) {
    const fields: (Buffer | null)[] = []
    const count = bytes.readInt16BE(at)
    at += 2
    for (let i = 0; i < count; i++) {
      const length = bytes.readInt32BE(at)
      at += 4
      fields.push(length < 0 ? null : bytes.subarray(at, at + length))
      at += Math.max(0, length)
    }
    rows.push(fields)
  }
  return rows
}

async function* blocks(
  rows: Iterable<readonly CopyField[]> | AsyncIterable<readonly CopyField[]>,
): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [SIGNATURE]
  let size = 0
  for await (const row of rows) {
    const count = Buffer.allocUnsafe(2)
    count.writeInt16BE(row.length)
    parts.push(count)
    for (const field of row) {
      const bytes = typeof field === 'string' ? Buffer.from(field) : field
      const length = Buffer.allocUnsafe(4)
      length.writeInt32BE(bytes === null ? -1 : bytes.length)
      parts.push(length)
      if (bytes !== null) parts.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
      size += 4 + (bytes?.length ?? 0)
    }
    if (size < BLOCK) continue
    yield Buffer.concat(parts)
    parts = []
    size = 0
  }
  yield Buffer.concat([...parts, END])
}
