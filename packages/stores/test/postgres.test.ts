import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { WorkerDied } from '@kith/base/pool'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Cluster } from '../../../scripts/postgres/cluster.mjs'
import { temporaryFolder } from '../../../test/files.ts'
import { emptyDatabase, ownPostgres, postgres, run, startCluster } from '../../../test/postgres.ts'
import { openStore } from '../src/index.ts'
import { connectPostgres, inTransaction, isPassing } from '../src/postgres.ts'

const document = { id: 'a', vector: Float32Array.of(1, 2) }

describe.runIf(postgres)('a PostgreSQL store', () => {
  const database = emptyDatabase()

  it('adds no document of a batch with a wrong document', async () => {
    const store = await openStore(`${database.url}#half_wrong`, { create: true })
    const documents = function* () {
      // More than a batch, so that some were sent before the mistake is found.
      for (let i = 0; i < 300; i++) yield { id: `d${i}`, vector: new Float32Array(10_000).fill(i) }
      yield { id: 'd7', vector: new Float32Array(10_000) }
    }
    await expect(store.add(documents())).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining('"d7"'),
    })
    expect(await store.count()).toBe(0)
    await store.close()
  })

  it('can be created by two programs at once', async () => {
    const stores = await Promise.all(
      Array.from({ length: 4 }, () => openStore(`${database.url}#together`, { create: true })),
    )
    await Promise.all(stores.map((store, i) => store.add([{ ...document, id: `d${i}` }])))
    expect(await stores[0]!.count()).toBe(4)
    for (const store of stores) await store.close()
  })

  it('takes any SQL as a filter', async () => {
    const store = await openStore(`${database.url}#filtered`, { create: true })
    await store.add([document, { id: 'b', vector: Float32Array.of(3, 4) }])
    await run(database.url, "CREATE TABLE article AS SELECT 'b' AS key, 2020 AS year")
    const filter = 'id IN (SELECT key FROM article WHERE year > 2019)'
    const queries = { data: Float32Array.of(1, 1), rows: 1, dimensions: 2 }
    expect((await store.search(queries, { top: 5, filter }))[0]!.ids).toEqual(['b'])
    await expect(store.search(queries, { top: 5, filter: 'nonsense' })).rejects.toThrow('nonsense')
    await store.close()
  })

  it('finds no texts in a collection of an earlier version until it is indexed', async () => {
    const address = `${database.url}#earlier`
    const store = await openStore(address, { create: true })
    await store.add([{ ...document, text: 'bees' }])
    await store.close()
    await run(database.url, 'DROP INDEX kith.texts_earlier')
    const again = await openStore(address)
    expect(await again.textVectors!(['bees'])).toEqual([undefined])
    await again.add([{ id: 'b', vector: Float32Array.of(3, 4), text: 'wasps' }])
    await again.index!()
    const found = await again.textVectors!(['bees', 'wasps'])
    expect(found).toEqual([document.vector, Float32Array.of(3, 4)])
    await again.close()
  })

  it('uses a partitioned table', async () => {
    await (await openStore(database.url, { create: true })).close()
    await run(
      database.url,
      `CREATE SEQUENCE kith.number_big;
       CREATE TABLE kith.documents_big (
         number bigint DEFAULT nextval('kith.number_big'), id text COLLATE "C" PRIMARY KEY,
         embedding halfvec(2) NOT NULL, title text, text text
       ) PARTITION BY HASH (id);
       CREATE TABLE kith.documents_big_0 PARTITION OF kith.documents_big
         FOR VALUES WITH (MODULUS 2, REMAINDER 0);
       CREATE TABLE kith.documents_big_1 PARTITION OF kith.documents_big
         FOR VALUES WITH (MODULUS 2, REMAINDER 1)`,
    )
    const store = await openStore(`${database.url}#big`, { type: 'f16', create: true })
    const vector = (i: number) => Float32Array.of(i, 1)
    await store.add(Array.from({ length: 50 }, (_, i) => ({ id: `d${i}`, vector: vector(i) })))
    await store.replace([{ id: 'd3', vector: vector(99) }])
    await store.index!()
    const queries = { data: vector(1), rows: 1, dimensions: 2 }
    for (const exact of [true, false]) {
      const [hits] = await store.search(queries, { top: 3, exact })
      expect(hits!.ids).toEqual(['d3', 'd49', 'd48'])
    }
    expect(await store.remove(['d3', 'd4'])).toBe(2)
    await store.close()
  })

  it('refuses tables of a newer version', async () => {
    await (await openStore(database.url, { create: true })).close()
    await run(database.url, "UPDATE kith.versions SET version = version + 99 WHERE part = 'stores'")
    await expect(openStore(database.url)).rejects.toMatchObject({ code: 'BAD_INPUT' })
    await run(database.url, "UPDATE kith.versions SET version = version - 99 WHERE part = 'stores'")
  })

  it('refuses invalid collection names', async () => {
    await expect(openStore(`${database.url}#x; DROP TABLE y`)).rejects.toThrow('got "x')
  })

  it('leaves the password out of errors', async () => {
    const url = new URL(database.url)
    url.password = 'secret'
    const error = await openStore(url.href).catch((reason: Error) => reason)
    expect((error as Error).message).toMatch(/^postgres:\/\/.*password/)
    expect((error as Error).message).not.toContain('secret')
    url.port = '1'
    await expect(openStore(url.href)).rejects.toThrow('ECONNREFUSED')
    await expect(openStore('postgres://no host/x')).rejects.toMatchObject({ code: 'BAD_SETTING' })
  })

  it('distinguishes passing failures from mistakes', async () => {
    const connections = await connectPostgres(database.url)
    const lost = await inTransaction(connections, async (client) => {
      await client.query('SELECT pg_terminate_backend(pg_backend_pid())')
    }).catch((reason: unknown) => reason)
    expect(isPassing(lost)).toBe(true)
    const wrong = await inTransaction(connections, (client) => client.query('SELEC')).catch(
      (reason: unknown) => reason,
    )
    expect(isPassing(wrong)).toBe(false)
    await connections.pool.end()
  })

  it('does not report bad data as a broken connection', async () => {
    const connections = await connectPostgres(database.url)
    const broken = await inTransaction(connections, (client) =>
      client.query("SELECT 'a\0b'"),
    ).catch((reason: unknown) => reason)
    expect(broken).toMatchObject({ cause: { code: '08P01', severity: 'ERROR' } })
    expect(isPassing(broken)).toBe(false)
    const { rows } = await connections.pool.query('SELECT 1 AS one')
    expect(rows).toEqual([{ one: 1 }])
    await connections.pool.end()
  })

  it('throws if its tables contradict each other', async () => {
    const url = `${database.url}#tampered`
    await (await openStore(url, { create: true })).add([document])
    await run(database.url, "UPDATE kith.collections SET dimensions = 1 WHERE name = 'tampered'")
    const store = await openStore(url)
    await expect(store.fetch(['a'])).rejects.toThrow('kith.documents_tampered')
    await store.close()
    await run(
      database.url,
      `ALTER TABLE kith.collections DROP CONSTRAINT collections_dimensions_check;
       UPDATE kith.collections SET dimensions = -3 WHERE name = 'tampered'`,
    )
    await expect(openStore(url)).rejects.toThrow('dimensions -3, type f32')
    await run(database.url, "DELETE FROM kith.collections WHERE name = 'tampered'")
  })
})

describe('isPassing', () => {
  const failure = (fields: { code?: string; severity?: string; message?: string }) =>
    Object.assign(new Error(fields.message ?? 'it failed'), fields)

  it.each([
    { code: 'ECONNREFUSED' },
    { code: 'ECONNRESET' },
    { code: '08006', severity: 'FATAL' },
    { code: '08P01', severity: 'FATAL' },
    { code: '57P01', severity: 'FATAL' },
    { code: '57P03', severity: 'FATAL' },
    { code: '53300', severity: 'FATAL' },
    { message: 'Connection terminated unexpectedly' },
    { message: 'timeout exceeded when trying to connect' },
    { message: 'Client has encountered a connection error and is not queryable' },
  ])('accepts $code $message', (fields) => {
    expect(isPassing(failure(fields))).toBe(true)
    // A broken connection can also be thrown outside of any call, and end a worker thread.
    const cause = failure(fields)
    const died = new WorkerDied('a worker of batches failed', { cause })
    expect(isPassing(died)).toBe(true)
  })

  it.each([
    { code: '08P01', severity: 'ERROR' },
    { code: '0A000', severity: 'ERROR' },
    { code: '22021', severity: 'ERROR' },
    { code: '23503', severity: 'ERROR' },
    { code: '28P01', severity: 'FATAL' },
    { code: '3D000', severity: 'FATAL' },
    { code: '42P01', severity: 'ERROR' },
    { code: '53400', severity: 'ERROR' },
    { code: '57P04', severity: 'FATAL' },
    { code: '58P01', severity: 'ERROR' },
    { message: 'a worker thread ended with 1' },
    { message: 'Unexpected token \'e\', "ended: timeout" is not valid JSON' },
  ])('refuses $code $message', (fields) => {
    expect(isPassing(failure(fields))).toBe(false)
  })
})

const openssl = ownPostgres && hasOpenssl()

describe.runIf(openssl)('TLS connections', () => {
  const folder = temporaryFolder()
  let cluster: Cluster
  beforeAll(async () => {
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    execFileSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=kith'],
        ...['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', certificate],
      ],
      { stdio: 'ignore' },
    )
    cluster = await startCluster()
    cluster.halt()
    const { uid, gid } = statSync(cluster.data)
    chmodSync(folder, 0o755)
    chownSync(key, uid, gid)
    cluster.configure({ ssl: 'on', ssl_key_file: key, ssl_cert_file: certificate })
    cluster.resume()
  })
  afterAll(() => cluster?.remove())

  it('follow the URL', async () => {
    const using = async (options: string): Promise<boolean> => {
      const store = await openStore(`${cluster.url}?${options}`, { create: true })
      await store.close()
      const [row] = await run(
        `${cluster.url}?${options}`,
        'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
      )
      return row!['ssl'] as boolean
    }
    const root = `sslrootcert=${join(folder, 'cert.pem')}`
    expect(await using(`sslmode=verify-full&${root}`)).toBe(true)
    expect(await using('sslmode=no-verify')).toBe(true)
    expect(await using('sslmode=disable')).toBe(false)
    // Nobody whom this machine trusts signed the certificate.
    await expect(using('sslmode=verify-full')).rejects.toThrow('self-signed')
  })
})

function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' })
    return true
  } catch {
    const advice = 'no openssl: install it (Debian: apt-get install openssl)'
    if (process.env['CI']) throw new Error(advice)
    console.warn(`skipped: ${advice}`)
    return false
  }
}
