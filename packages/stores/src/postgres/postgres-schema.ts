import { KithError } from '@kith/core'
import type { PoolClient } from 'pg'
import type { Metric } from '../exact/search-exact.ts'
import { type Connections, inTransaction, postgresError } from './postgres-connection.ts'

/** The minimum version of pgvector: it has half precision and iterative scans for filters. */
const LEAST_VECTOR = [0, 8] as const

const migrations: readonly string[] = [
  `CREATE EXTENSION IF NOT EXISTS vector;
   CREATE TABLE kith.collections (
     name text PRIMARY KEY,
     dimensions integer NOT NULL CHECK (dimensions > 0),
     type text NOT NULL CHECK (type IN ('f16', 'f32')),
     metric text NOT NULL CHECK (metric IN ('dot', 'cosine'))
   )`,
  // A collection of an earlier version has no row here until documents are added to it.
  `CREATE TABLE kith.terms (
     collection text PRIMARY KEY,
     version uuid NOT NULL DEFAULT gen_random_uuid(),
     statistics bytea NOT NULL
   )`,
  'CREATE TABLE IF NOT EXISTS kith.backgrounds (collection text PRIMARY KEY, json text NOT NULL)',
]

/** The properties that a collection was created with. */
export interface Collection {
  dimensions: number
  type: 'f16' | 'f32'
  metric: Metric
}

/**
 * A collection, and whether it has an approximate index, a full-text index and an index of whole
 * texts.
 */
export interface KnownCollection extends Collection {
  indexed: boolean
  /** The definition of the full-text index. */
  words: string | null
  texts: boolean
}

/**
 * Migrates the tables to the current version, and throws if pgvector is too old.
 *
 * @returns false if there are no tables and `create` is not set.
 */
export async function prepareSchema(
  connections: Connections,
  options: { create?: boolean | undefined },
): Promise<boolean> {
  if (!(await migrate(connections, 'stores', migrations, options))) return false
  const { rows } = await connections.pool.query(
    "SELECT extversion FROM pg_extension WHERE extname = 'vector'",
  )
  const version = String(rows[0]?.extversion ?? 'none')
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > LEAST_VECTOR[0] || minor >= LEAST_VECTOR[1]) return true
  throw new KithError(
    'BAD_INPUT',
    `${connections.name}: pgvector ${LEAST_VECTOR.join('.')} or newer is required, got ${version}; run ALTER EXTENSION vector UPDATE`,
  )
}

/** Returns the names of all collections. */
export async function listCollections(db: Pick<PoolClient, 'query'>): Promise<string[]> {
  const { rows } = await db.query('SELECT name FROM kith.collections')
  return rows.map(({ name }) => name)
}

/** Returns the table name of a collection. */
export function tableOf(name: string): string {
  return `kith.documents_${name}`
}

/** Returns the name of a collection's full-text index; no table has a name of this form. */
export function wordsIndexOf(name: string): string {
  return `words_${name}`
}

/** Returns the name of a collection's index of whole texts. */
export function textsIndexOf(name: string): string {
  return `texts_${name}`
}

/** The title and the text of a document, joined as in `wholeText`. */
export const WHOLE_TEXT = "(CASE WHEN title <> '' THEN title || ' ' || text ELSE text END)"

/**
 * Returns the SQL that creates the index of whole texts: the index holds hashes, and the database
 * compares the texts.
 */
export function textsIndexSql(name: string): string {
  return `CREATE INDEX IF NOT EXISTS ${textsIndexOf(name)} ON ${tableOf(name)} USING hash (${WHOLE_TEXT})`
}

/** Throws unless a collection's name is safe as a part of SQL. */
export function checkName(name: string): string {
  if (/^[a-z][a-z0-9_]{0,39}$/.test(name)) return name
  throw new KithError(
    'BAD_SETTING',
    `a collection name must be up to 40 lower-case letters, digits and _, starting with a letter, got ${JSON.stringify(name)}`,
  )
}

/** Reads a collection's properties; undefined if nothing was ever added to it. */
export async function readCollection(
  db: Pick<PoolClient, 'query'>,
  name: string,
): Promise<KnownCollection | undefined> {
  const { rows } = await db.query(
    `SELECT dimensions, type, metric, EXISTS (
       SELECT FROM pg_indexes
       WHERE schemaname = 'kith' AND tablename = $2 AND indexdef LIKE '%USING hnsw%'
     ) AS indexed, (
       SELECT indexdef FROM pg_indexes
       WHERE schemaname = 'kith' AND tablename = $2 AND indexname = $3
     ) AS words, EXISTS (
       SELECT FROM pg_indexes WHERE schemaname = 'kith' AND tablename = $2 AND indexname = $4
     ) AS texts
     FROM kith.collections WHERE name = $1`,
    [name, `documents_${name}`, wordsIndexOf(name), textsIndexOf(name)],
  )
  return rows[0] && checkCollection(name, rows[0])
}

/** Checks a row of kith.collections, which any SQL client can have changed. */
function checkCollection(name: string, row: KnownCollection): KnownCollection {
  const { dimensions, type, metric } = row
  const fits =
    Number.isSafeInteger(dimensions) &&
    dimensions >= 1 &&
    (type === 'f16' || type === 'f32') &&
    (metric === 'dot' || metric === 'cosine')
  if (fits) return row
  throw new KithError(
    'BAD_INPUT',
    `the row of ${name} in kith.collections was changed: dimensions ${dimensions}, type ${type}, metric ${metric}; expected a whole number of at least 1, f16 or f32, and dot or cosine`,
  )
}

/** Creates a collection unless another connection has created it; returns whether it did. */
export async function makeCollection(
  client: PoolClient,
  name: string,
  { dimensions, type, metric }: Collection,
): Promise<boolean> {
  await client.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`kith collection ${name}`])
  const { rowCount } = await client.query(
    'INSERT INTO kith.collections VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
    [name, dimensions, type, metric],
  )
  // A vector that fits a page stays in the row: a scan of all vectors reads half as many pages.
  await client.query(
    `CREATE TABLE IF NOT EXISTS ${tableOf(name)} (
       number bigint GENERATED ALWAYS AS IDENTITY,
       id text COLLATE "C" PRIMARY KEY,
       embedding ${columnType(type, dimensions)} NOT NULL,
       title text,
       text text
     ) WITH (toast_tuple_target = 8160)`,
  )
  await client.query(textsIndexSql(name))
  return rowCount === 1
}

/** Returns the type of the vector column. */
export function columnType(type: 'f16' | 'f32', dimensions: number): string {
  return `${vectorType(type)}(${dimensions})`
}

/** Returns pgvector's name of a number type. */
export function vectorType(type: 'f16' | 'f32'): 'halfvec' | 'vector' {
  return type === 'f16' ? 'halfvec' : 'vector'
}

/** The key of an advisory lock: programs that change the schema wait for each other. */
const LOCK = 0x6b697468

/**
 * Migrates the tables of one part of Kith, in the schema `kith`. New migrations may only be
 * appended, since databases have already run the earlier ones.
 *
 * @returns false, without creating tables, if there are no tables and `create` is not set.
 */
export async function migrate(
  connections: Connections,
  part: string,
  migrations: readonly string[],
  { create }: { create?: boolean | undefined },
): Promise<boolean> {
  // Reading the version is cheap and needs no write permission.
  const found = await versionOf(connections, part)
  if (found === 0 && !create) return false
  if (found === migrations.length) return true
  await inTransaction(connections, async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK])
    await client.query('CREATE SCHEMA IF NOT EXISTS kith')
    await client.query(
      'CREATE TABLE IF NOT EXISTS kith.versions (part text PRIMARY KEY, version integer NOT NULL)',
    )
    const { rows } = await client.query('SELECT version FROM kith.versions WHERE part = $1', [part])
    const version = (rows[0]?.version as number | undefined) ?? 0
    if (version > migrations.length) {
      throw new KithError(
        'BAD_INPUT',
        `${connections.name}: the tables were made by a newer version of Kith (${part} ${version}, this version supports ${migrations.length}); update Kith`,
      )
    }
    for (const migration of migrations.slice(version)) await client.query(migration)
    await client.query(
      'INSERT INTO kith.versions VALUES ($1, $2) ON CONFLICT (part) DO UPDATE SET version = $2',
      [part, migrations.length],
    )
  })
  return true
}

async function versionOf({ pool, name }: Connections, part: string): Promise<number> {
  try {
    const { rows } = await pool.query("SELECT to_regclass('kith.versions') AS found")
    if (rows[0].found === null) return 0
    const found = await pool.query('SELECT version FROM kith.versions WHERE part = $1', [part])
    return found.rows[0]?.version ?? 0
  } catch (error) {
    throw postgresError(name, error)
  }
}
