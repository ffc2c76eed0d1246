import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Batches } from '@kith/work'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Cluster } from '../../../scripts/postgres/cluster.mjs'
import { temporaryFolder } from '../../../test/files.ts'
import { ownPostgres, run, startCluster } from '../../../test/postgres.ts'
import { exportBatch } from '../src/batches/export-batch.ts'
import { type WorkResult, workBatches } from '../src/batches/work-batches.ts'
import { loadStore } from '../src/load/load-store.ts'
import { type RerankInputs, rerankRun, submitRerank } from '../src/rerank/rerank-run.ts'
import { writeCollection } from './store-data.ts'
import { countResults, givenAgain, onWrite, until } from './work-support.ts'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)

/** Queries of a batch, queries per job, and jobs. */
const QUERIES = 600
const JOB_SIZE = 20
const JOBS = QUERIES / JOB_SIZE

/** Seconds without a sign of life after which a job goes to another worker. */
const LEASE = 4

describe.runIf(ownPostgres)('workBatches with faults', () => {
  let cluster: Cluster
  let url: string
  let batches = 0
  let batch = ''
  const stops = new Set<AbortController>()
  const inputs = { run: path('run.trec'), queries: path('queries.npy') }

  beforeAll(async () => {
    cluster = await startCluster()
    url = cluster.url
    await writeCollection(folder, QUERIES)
    // What one machine makes of it.
    const all = { docs: path('all.npy') }
    await rerankRun({ ...inputs, ...all, out: path('one-machine.trec'), workers: 1 })
    await loadStore({ store: url, ...all })
  })
  beforeEach(() => {
    batch = `batch-${++batches}`
  })
  afterEach(() => {
    for (const stop of stops) stop.abort()
    stops.clear()
  })
  afterAll(() => cluster?.remove())

  const submit = (more: Partial<RerankInputs> = {}) =>
    submitRerank({ ...inputs, store: url, ...more }, { name: batch, jobSize: JOB_SIZE })
  const count = (condition?: string) => countResults(url, batch, condition)

  interface Started {
    ended: Promise<WorkResult>
    said: string[]
    stop: AbortController
  }

  /** Starts workers that end when nothing is left. */
  const start = (number: number): Started[] =>
    Array.from({ length: number }, () => {
      const stop = new AbortController()
      stops.add(stop)
      const said: string[] = []
      const ended = workBatches(
        { store: url, untilEmpty: true, workers: 1, lease: LEASE },
        { signal: stop.signal, onRemark: (remark) => said.push(remark) },
      )
      // Awaited later; until then a failure must not count as unhandled.
      ended.catch(() => {})
      return { ended, said, stop }
    })
  const isWaiting = ({ said }: Started): boolean =>
    said.some((remark) => remark.startsWith('waiting for the database: '))

  /** Waits for workers, which must end well, and for every query's one result. */
  const expectAll = async (started: readonly Started[]): Promise<void> => {
    for (const { ended } of started) await ended
    expect(await count()).toBe(QUERIES)
    const out = path(`${batch}.trec`)
    await exportBatch({ store: url, name: batch, out })
    expect(readFileSync(out, 'utf8')).toBe(readFileSync(path('one-machine.trec'), 'utf8'))
  }

  test('finishes its job when it is told to stop', async () => {
    await submit()
    await onWrite(url, 'PERFORM pg_sleep(0.1)')
    const [first, second] = start(2) as [Started, Started]
    await until(async () => (await count()) > 3 * JOB_SIZE)
    first.stop.abort()
    const { queries } = await first.ended
    expect(queries % JOB_SIZE).toBe(0)
    await expectAll([second])
    expect(await givenAgain(url, batch)).toBe(0)
  })

  test('continues after a crash and restart of the database', async () => {
    await submit()
    const started = start(2)
    await until(async () => (await count()) > 3 * JOB_SIZE)
    cluster.halt('immediate')
    await setTimeout(1500)
    cluster.resume()
    await expectAll(started)
    expect(started.some(isWaiting)).toBe(true)
  })

  test('waits for a database that is down at the start', async () => {
    await submit()
    cluster.halt()
    const started = start(2)
    const [patient] = start(1) as [Started]
    await until(async () => [...started, patient].every(isWaiting))
    // Who waits can still be told to stop.
    const reason = new Error('enough')
    patient.stop.abort(reason)
    await expect(patient.ended).rejects.toMatchObject({ code: 'ABORTED', cause: reason })
    cluster.resume()
    await expectAll(started)
  })

  test('throws at once for a wrong password or database name', async () => {
    const [wrong, absent] = [new URL(url), new URL(url)]
    wrong.password = 'wrong'
    absent.pathname = '/absent'
    for (const [address, message] of [
      [wrong, 'password authentication failed'],
      [absent, 'database "absent" does not exist'],
    ] as const) {
      const said: string[] = []
      const hooks = { onRemark: (remark: string) => said.push(remark) }
      const working = workBatches({ store: address.href, untilEmpty: true }, hooks)
      await expect(working).rejects.toThrow(message)
      expect(said).toEqual([])
    }
  })

  test('continues after its connections are cut repeatedly', async () => {
    await submit()
    const started = start(2)
    for (let cuts = 1; cuts <= 5; cuts++) {
      await until(async () => (await count()) > cuts * 3 * JOB_SIZE)
      await run(
        url,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      )
    }
    await expectAll(started)
  })

  test('continues after the disk was full for a while', async () => {
    await submit()
    await onWrite(url, `RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'`)
    const started = start(2)
    const full = ({ said }: Started) => said.some((remark) => /could not extend file/.test(remark))
    await until(async () => started.every(full))
    expect(await count()).toBe(0)
    await run(url, 'DROP TRIGGER on_write ON kith.results')
    await expectAll(started)
    expect(await givenAgain(url, batch)).toBe(0)
  })

  test('submits a batch once if two programs submit it at the same time', async () => {
    const both = await Promise.all([submit(), submit()])
    expect(both.map(({ fresh }) => fresh).toSorted()).toEqual([false, true])
    const jobs = await run(url, "SELECT * FROM kith_jobs.job WHERE state = 'created'")
    expect(jobs).toHaveLength(JOBS)
    // Another batch of the same name is a mistake.
    await expect(submit({ settings: { k: 5 } })).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining(batch),
    })
    await expectAll(start(2))
  })

  test('sets a query aside that cannot be done, and finishes the others', async () => {
    await submit()
    await run(url, "DELETE FROM kith.documents_main WHERE id = 'poison'")
    for (const { ended } of start(2)) await ended
    expect(await count()).toBe(QUERIES - 1)
    expect(await count("AND query = 'q7'")).toBe(0)
    const all = await Batches.open(url)
    const listed = (await all.progress()).at(-1)!
    expect(listed).toMatchObject({ name: batch, queries: QUERIES, done: QUERIES - 1, active: 0 })
    expect(listed.failures).toEqual([
      { from: 0, to: JOB_SIZE, message: expect.stringMatching(/^query q7: .*poison/) },
    ])
    const [job] = await run(url, "SELECT retry_count FROM kith_jobs.job WHERE state = 'failed'")
    expect(job).toEqual({ retry_count: 2 })
    const unfinished = exportBatch({ store: url, name: batch, out: path('never.trec') })
    await expect(unfinished).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining('q7'),
    })
    // With the document back, one more try does it.
    await loadStore({ store: url, docs: path('poison.npy') })
    await all.retry(batch)
    await all.close()
    await expectAll(start(1))
  })
})
