import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll } from 'vitest'
import { Cluster } from '../scripts/postgres/cluster.mjs'
import { binaries, hasVector } from '../scripts/postgres/programs.mjs'
import { sharedCluster } from './shared-postgres.ts'

/** Whether tests can start a PostgreSQL of their own; without one they are skipped, in CI they fail. */
export const ownPostgres = canStart()

/** Whether tests have a PostgreSQL: the one that KITH_POSTGRES_URL names, or their own. */
export const postgres = process.env['KITH_POSTGRES_URL'] !== undefined || ownPostgres

/** An empty database for the tests of a file, in the cluster that is named or that the files share. */
export function emptyDatabase(): { readonly url: string } {
  const name = `kith_test_${randomBytes(6).toString('hex')}`
  let server: string | undefined
  let url: string | undefined
  beforeAll(async () => {
    if (!postgres) return
    server = process.env['KITH_POSTGRES_URL'] ?? (await sharedCluster(startCluster)).url
    const whole = new URL(server)
    await run(whole.href, `CREATE DATABASE ${name}`)
    whole.pathname = `/${name}`
    url = whole.href
  })
  afterAll(async () => {
    if (url) await run(server!, `DROP DATABASE ${name} WITH (FORCE)`)
  })
  return {
    get url() {
      return url!
    },
  }
}

/** A cluster of one's own, for tests that stop the server. Whoever starts it removes it. */
export function startCluster(settings: Record<string, string> = {}): Promise<Cluster> {
  // What a test writes need not survive the machine.
  return Cluster.start({ fsync: 'off', shared_buffers: '64MB', ...settings })
}

/** Runs some SQL; the rows that it gives. */
export async function run(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const { default: pg } = await import('pg')
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

function canStart(): boolean {
  let advice: string
  try {
    binaries()
    if (hasVector()) return true
    advice =
      'pgvector is not installed; install it (Debian: node scripts/postgres/main.mjs install)'
  } catch (error) {
    advice = (error as Error).message
  }
  if (process.env['CI']) throw new Error(advice)
  console.warn(`skipped: ${advice}`)
  return false
}
