import { KithError } from '@kith/core'
import { type Connections, inTransaction, postgresError } from './postgres-connection.ts'

/** The key of one advisory lock: programs that change the schema wait for each other. */
const LOCK = 0x6b697468

/**
 * Brings the tables of one part of Kith up to date, in the schema `kith`. Migrations are
 * only ever appended to: the first ones have run somewhere already.
 *
 * @returns false where there are no tables and `create` is not set: then there are none afterwards.
 */
export async function migrate(
  connections: Connections,
  part: string,
  migrations: readonly string[],
  { create }: { create?: boolean | undefined },
): Promise<boolean> {
  // Looking costs nothing and needs no right to change anything.
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
        `${connections.name}: its tables are of a newer version of Kith (${part} ${version}, this one knows ${migrations.length}): update`,
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
