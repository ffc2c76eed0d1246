import {
  KithError,
  type TermStatistics,
  type TokenizerName,
  termStatisticsFromBytes,
  termStatisticsToBytes,
} from '@kith/core'
import type { PoolClient } from 'pg'
import { noTerms, TermChanges } from '../term-changes.ts'
import { tableOf } from './postgres-schema.ts'

type Database = Pick<PoolClient, 'query'>

/** Texts that are read at a time. */
const READ_TEXTS = 5000

/** Statistics as they were read, with the version that they had. */
export interface KnownTerms {
  version: string
  statistics: TermStatistics
}

/** Gives a new collection the statistics of no documents. */
export async function beginTerms(
  client: Database,
  name: string,
  tokenizer: TokenizerName,
): Promise<void> {
  await write(client, name, noTerms(tokenizer))
}

/** A collection's statistics, read only if they have changed; undefined if it has none. */
export async function readTermStatistics(
  db: Database,
  name: string,
  known?: KnownTerms,
): Promise<KnownTerms | undefined> {
  const { rows } = await db.query(
    `SELECT version, CASE WHEN version = $2 THEN NULL ELSE statistics END AS statistics
     FROM kith.terms WHERE collection = $1`,
    [name, known?.version],
  )
  if (!rows[0] || rows[0].statistics === null) return rows[0] && known
  return { version: rows[0].version, statistics: fromBytes(rows[0].statistics, name) }
}

/** Any client for SQL can have changed the bytes. */
function fromBytes(bytes: Buffer, name: string): TermStatistics {
  try {
    return termStatisticsFromBytes(bytes)
  } catch (error) {
    const advice = 'delete the row; the next load counts all texts again'
    throw new KithError(
      'BAD_INPUT',
      `kith.terms, row ${name}: ${(error as Error).message}; ${advice}`,
    )
  }
}

/**
 * Holds other changes of a collection off until the transaction ends, since the old texts of
 * replaced documents leave the statistics: two replacements of one document would take it out
 * twice. Additions run in parallel, unless there are no statistics to add to.
 */
export async function lockDocuments(
  client: Database,
  name: string,
  change: 'add' | 'replace',
): Promise<void> {
  const { rows } = await client.query('SELECT FROM kith.terms WHERE collection = $1', [name])
  const lock = change === 'add' && rows.length > 0 ? '_shared' : ''
  const key = `kith documents of ${name}`
  await client.query(`SELECT pg_advisory_xact_lock${lock}(hashtext($1))`, [key])
}

/**
 * Brings the statistics up to date. If there are none, or if they have another tokenizer or
 * cannot belong to the documents, all texts are counted.
 */
export async function changeTerms(
  client: Database,
  name: string,
  changes: TermChanges,
): Promise<void> {
  // Two additions change the row one after the other.
  await client.query('SELECT FROM kith.terms WHERE collection = $1 FOR UPDATE', [name])
  const before = await readTermStatistics(client, name)
  const after = before && changes.applyTo(before.statistics)
  await write(client, name, after ?? (await countTexts(client, name, changes.tokenizer)))
}

async function countTexts(
  client: Database,
  name: string,
  tokenizer: TokenizerName,
): Promise<TermStatistics> {
  const all = new TermChanges(tokenizer)
  await client.query(
    `DECLARE texts NO SCROLL CURSOR FOR
     SELECT title, text FROM ${tableOf(name)} WHERE text IS NOT NULL`,
  )
  for (;;) {
    const { rows } = await client.query(`FETCH ${READ_TEXTS} FROM texts`)
    if (rows.length === 0) break
    all.add(rows)
  }
  await client.query('CLOSE texts')
  return all.added()
}

async function write(client: Database, name: string, statistics: TermStatistics): Promise<void> {
  await client.query(
    `INSERT INTO kith.terms (collection, statistics) VALUES ($1, $2)
     ON CONFLICT (collection) DO UPDATE
     SET statistics = excluded.statistics, version = excluded.version`,
    [name, Buffer.from(termStatisticsToBytes(statistics).buffer)],
  )
}
