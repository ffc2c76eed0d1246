import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Cluster } from '../../../scripts/postgres/cluster.mjs'
import { temporaryFolder } from '../../../test/files.ts'
import { ownPostgres, run, startCluster } from '../../../test/postgres.ts'
import { sizes, writeCollection } from './store-data.ts'
import { kith, program, succeed } from './support.ts'

// Real servers and processes, on whatever machine: slow is not wrong.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)

/** Queries per job, and jobs of a study. */
const JOB_SIZE = 20
const JOBS = sizes.queries / JOB_SIZE

/** Seconds without a sign of life after which a job goes to another worker. */
const LEASE = 4

/** A failing step must not wait for the whole test. */
const PATIENCE = 30_000

describe.runIf(ownPostgres)('work on many machines', () => {
  let cluster: Cluster
  let url: string
  let study = 0
  const workers = new Set<ChildProcess>()

  beforeAll(async () => {
    cluster = await startCluster()
    url = cluster.url
    await writeCollection(folder)
    // What one machine makes of it.
    succeed('rerank', ...inputs, '--docs', path('all.npy'), '--out', path('one-machine.trec'))
    succeed('load', '--store', url, '--docs', path('all.npy'))
  })
  beforeEach(() => {
    study++
  })
  afterEach(() => {
    for (const worker of workers) worker.kill('SIGKILL')
  })
  afterAll(() => cluster?.remove())

  const inputs = ['--run', path('run.trec'), '--queries', path('queries.npy')]
  const submission = (name: string): string[] => [
    ...['rerank', ...inputs, '--store', url],
    ...['--submit', name, '--job-size', String(JOB_SIZE)],
  ]
  const count = async (condition = ''): Promise<number> => {
    const [row] = await run(
      url,
      `SELECT count(*)::integer AS count FROM kith.results JOIN kith.studies ON study = id
       WHERE name = 'study-${study}' ${condition}`,
    )
    return row!['count'] as number
  }

  /** Starts workers that end when nothing is left. */
  const start = (number: number): { process: ChildProcess; said: () => string }[] =>
    Array.from({ length: number }, () => {
      const args = ['work', '--store', url, '--until-empty', '--workers', '1']
      const child = spawn(process.execPath, [program, ...args, '--lease', String(LEASE)], {
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let said = ''
      for (const stream of [child.stdout, child.stderr]) {
        stream!.on('data', (data) => {
          said += data
        })
      }
      workers.add(child)
      child.on('exit', () => workers.delete(child))
      return { process: child, said: () => said }
    })

  /** Waits until something holds. */
  const until = async (holds: () => Promise<boolean>): Promise<void> => {
    const end = performance.now() + PATIENCE
    while (!(await holds())) {
      if (performance.now() > end) throw new Error('waited in vain')
      await setTimeout(50)
    }
  }

  /** Waits for workers, which must end well, and for every query's one result. */
  const expectAll = async (started: readonly ReturnType<typeof start>[number][]) => {
    for (const { process: child, said } of started) {
      if (child.exitCode === null) await once(child, 'exit')
      if (child.exitCode !== 0) throw new Error(`a worker ended with ${child.exitCode}: ${said()}`)
    }
    expect(await count()).toBe(sizes.queries)
    const out = path(`study-${study}.trec`)
    succeed('jobs', 'export', '--store', url, '--study', `study-${study}`, '--out', out)
    expect(readFileSync(out, 'utf8')).toBe(readFileSync(path('one-machine.trec'), 'utf8'))
  }

  /** What happens to results before they are written: time passes, or an error. */
  const onWrite = async (action: string): Promise<void> => {
    await run(
      url,
      `CREATE OR REPLACE FUNCTION on_write() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN ${action}; RETURN NULL; END $$;
       CREATE OR REPLACE TRIGGER on_write BEFORE INSERT ON kith.results
         FOR EACH STATEMENT EXECUTE FUNCTION on_write()`,
    )
  }
  /** Makes each job take a while, so that something can happen in the middle of it. */
  const slow = (): Promise<void> => onWrite('PERFORM pg_sleep(0.1)')

  /** Jobs that were given to somebody more than once. */
  const givenAgain = async (): Promise<number> => {
    const rows = await run(
      url,
      `SELECT count(*)::integer AS count FROM kith_jobs.job
       WHERE retry_count > 0 AND (data->>'study')::integer
         = (SELECT id FROM kith.studies WHERE name = 'study-${study}')`,
    )
    return rows[0]!['count'] as number
  }

  /** Starts a worker and waits until it writes the results of a job, in a transaction that takes a while. */
  const startMiddle = async (): Promise<ReturnType<typeof start>[number]> => {
    await onWrite('PERFORM pg_sleep(1)')
    const [worker] = start(1)
    await until(async () => {
      const rows = await run(
        url,
        `SELECT FROM pg_stat_activity
         WHERE state = 'active' AND query LIKE 'INSERT INTO kith.results%'`,
      )
      return rows.length > 0
    })
    return worker!
  }

  test('a worker is killed in the middle of a job', async () => {
    succeed(...submission(`study-${study}`))
    const first = await startMiddle()
    first.process.kill('SIGKILL')
    await slow()
    await expectAll(start(2))
    expect(await givenAgain()).toBe(1)
  })

  test('a worker is told to stop: it finishes its job', async () => {
    succeed(...submission(`study-${study}`))
    await slow()
    const [first, second] = start(2)
    await until(async () => (await count()) > 3 * JOB_SIZE)
    first!.process.kill('SIGTERM')
    await expectAll([first!, second!])
    expect(await givenAgain()).toBe(0)
  })

  test('a worker that seemed dead does its job a second time', async () => {
    succeed(...submission(`study-${study}`))
    const first = await startMiddle()
    // Others wait for the rows of its transaction, until the server ends that.
    first.process.kill('SIGSTOP')
    await slow()
    const [second] = start(1)
    await until(async () => (await count()) === sizes.queries)
    first.process.kill('SIGCONT')
    await expectAll([first, second!])
    expect(await givenAgain()).toBe(1)
  })

  test('the database stops as in a crash, and comes back', async () => {
    succeed(...submission(`study-${study}`))
    const started = start(2)
    await until(async () => (await count()) > 3 * JOB_SIZE)
    cluster.halt('immediate')
    await setTimeout(1500)
    cluster.resume()
    await expectAll(started)
    expect(started.map(({ said }) => said()).join('')).toContain('waiting for the database')
  })

  test('the database is away while workers start, and comes later', async () => {
    succeed(...submission(`study-${study}`))
    cluster.halt()
    const started = start(2)
    const [patient] = start(1)
    await until(async () =>
      [...started, patient!].every(({ said }) => said().includes('waiting for the database')),
    )
    // Who waits can still be told to stop.
    patient!.process.kill('SIGTERM')
    if (patient!.process.exitCode === null) await once(patient!.process, 'exit')
    cluster.resume()
    await expectAll(started)
  })

  test('a wrong password or database is no reason to wait', () => {
    const [wrong, absent] = [new URL(url), new URL(url)]
    wrong.password = 'wrong'
    absent.pathname = '/absent'
    for (const [address, message] of [
      [wrong, 'password authentication failed'],
      [absent, 'database "absent" does not exist'],
    ] as const) {
      const { code, err } = kith('work', '--store', address.href, '--until-empty')
      expect(code).toBe(1)
      expect(err).toContain(message)
      expect(err).not.toContain('waiting')
    }
  })

  test('connections are cut, again and again', async () => {
    succeed(...submission(`study-${study}`))
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

  test('the disk is full for a while', async () => {
    succeed(...submission(`study-${study}`))
    await onWrite(`RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'`)
    const started = start(2)
    await until(async () => started.every(({ said }) => said().includes('could not extend file')))
    expect(await count()).toBe(0)
    await run(url, 'DROP TRIGGER on_write ON kith.results')
    await expectAll(started)
    expect(await givenAgain()).toBe(0)
  })

  test('two submit the same study at the same time', async () => {
    const submitters = Array.from({ length: 2 }, () =>
      spawn(process.execPath, [program, ...submission(`study-${study}`), '--json']),
    )
    const said = await Promise.all(
      submitters.map(async (child) => {
        let out = ''
        child.stdout.on('data', (data) => {
          out += data
        })
        const [code] = await once(child, 'close')
        expect(code).toBe(0)
        return JSON.parse(out)
      }),
    )
    expect(said.map(({ fresh }) => fresh).toSorted()).toEqual([false, true])
    const jobs = await run(url, "SELECT * FROM kith_jobs.job WHERE state = 'created'")
    expect(jobs).toHaveLength(JOBS)
    // Another study of the same name is a mistake.
    const { code, err } = kith(...submission(`study-${study}`), '--k', '5')
    expect(code).toBe(1)
    expect(err).toContain(`there is a study study-${study} of other settings or queries`)
    await expectAll(start(2))
  })

  test('a query that cannot be done is set aside, the rest finishes', async () => {
    succeed(...submission(`study-${study}`))
    await run(url, "DELETE FROM kith.documents_main WHERE id = 'poison'")
    await Promise.all(start(2).map(({ process: child }) => once(child, 'exit')))
    expect(await count()).toBe(sizes.queries - 1)
    expect(await count("AND query = 'q7'")).toBe(0)
    const listed = JSON.parse(succeed('jobs', '--store', url, '--json')).at(-1)
    expect(listed).toMatchObject({ name: `study-${study}`, queries: 600, done: 599, active: 0 })
    expect(listed.failures).toEqual([
      { from: 0, to: JOB_SIZE, message: expect.stringMatching(/^query q7: .*poison/) },
    ])
    const [job] = await run(url, "SELECT retry_count FROM kith_jobs.job WHERE state = 'failed'")
    expect(job).toEqual({ retry_count: 2 })
    const unfinished = kith(
      ...['jobs', 'export', '--store', url, '--study', `study-${study}`],
      ...['--out', path('never.trec')],
    )
    expect(unfinished.err).toContain('is not finished: query q7 has no result yet')
    // With the document back, one more try does it.
    succeed('load', '--store', url, '--docs', path('poison.npy'))
    succeed('jobs', 'retry', '--store', url, '--study', `study-${study}`)
    await expectAll(start(1))
  })
})
