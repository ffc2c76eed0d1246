import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll } from 'vitest'
import { Cluster } from '../scripts/postgres/cluster.mjs'
import { binaries, hasVector } from '../scripts/postgres/programs.mjs'

/** Whether tests can start a PostgreSQL of their own; without one they are skipped, in CI they fail. */
export const ownPostgres = canStart()

/** Whether tests have a PostgreSQL: the one that KITH_POSTGRES_URL names, or their own. */
export const postgres = process.env['KITH_POSTGRES_URL'] !== undefined || ownPostgres

/** An empty database for the tests of a file, in a cluster of its own or in the one that is named. */
export function emptyDatabase(): { readonly url: string } {
  let cluster: Cluster | undefined
  let url: string | undefined
  const name = `kith_test_${randomBytes(6).toString('hex')}`
  const server = async (): Promise<string> => {
    const named = process.env['KITH_POSTGRES_URL']
    if (named !== undefined) return named
    cluster = await startCluster()
    return cluster.url
  }
  beforeAll(async () => {
    if (!postgres) return
    const whole = new URL(await server())
    await run(whole.href, `CREATE DATABASE ${name}`)
    whole.pathname = `/${name}`
    url = whole.href
  })
  afterAll(async () => {
    if (cluster) cluster.remove()
    else if (url) {
      await run(process.env['KITH_POSTGRES_URL']!, `DROP DATABASE ${name} WITH (FORCE)`)
    }
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
    advice = 'no pgvector: install it (Debian: node scripts/postgres/main.mjs install)'
  } catch (error) {
    advice = (error as Error).message
  }
  if (process.env['CI']) throw new Error(advice)
  console.warn(`skipped: ${advice}`)
  return false
}
