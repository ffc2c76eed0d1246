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

/** Number of texts to read at a time. */
const READ_TEXTS = 5000

/** Term statistics, with the version at the time of reading. */
export interface KnownTerms {
  version: string
  statistics: TermStatistics
}

/** Gives a new collection empty term statistics. */
export async function beginTerms(
  client: Database,
  name: string,
  tokenizer: TokenizerName,
): Promise<void> {
  await write(client, name, noTerms(tokenizer))
}

/** Reads a collection's statistics if they have changed; undefined if it has none. */
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

/** Parses term statistics; any SQL client can have changed the bytes. */
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
 * Blocks other changes of a collection until the transaction ends: replacing a document subtracts
 * its old text from the statistics, and two concurrent replacements would subtract it twice.
 * Additions run in parallel, unless there are no statistics to add to.
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
 * Updates the statistics. If there are none, or if they have another tokenizer or cannot belong to
 * the documents, all texts are counted again.
 */
export async function changeTerms(
  client: Database,
  name: string,
  changes: TermChanges,
): Promise<void> {
  // The lock makes concurrent additions change the row one after another.
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
