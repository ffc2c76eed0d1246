import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { program } from '../../packages/cli/test/support.ts'
import { exportBatch } from '../../packages/pipelines/src/batches/export-batch.ts'
import { loadStore } from '../../packages/pipelines/src/load/load-store.ts'
import { rerankRun, submitRerank } from '../../packages/pipelines/src/rerank/rerank-run.ts'
import { sizes, writeCollection } from '../../packages/pipelines/test/store-data.ts'
import {
  countResults,
  givenAgain,
  onWrite,
  until,
} from '../../packages/pipelines/test/work-support.ts'
import type { Cluster } from '../../scripts/postgres/cluster.mjs'
import { temporaryFolder } from '../files.ts'
import { ownPostgres, run, startCluster } from '../postgres.ts'

// Real servers and processes, on any machine: slow is not wrong.

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)

/** Seconds without a sign of life after which a job goes to another worker. */
const LEASE = 4

describe.runIf(ownPostgres)('kith work', () => {
  let cluster: Cluster
  let url: string
  const workers = new Set<ChildProcess>()
  const inputs = { run: path('run.trec'), queries: path('queries.npy') }

  beforeAll(async () => {
    cluster = await startCluster()
    url = cluster.url
    await writeCollection(folder, 600)
    const all = { docs: path('all.npy') }
    await rerankRun({ ...inputs, ...all, out: path('one-machine.trec'), workers: 1 })
    await loadStore({ store: url, ...all })
  })
  afterEach(() => {
    for (const worker of workers) worker.kill('SIGKILL')
  })
  afterAll(() => cluster?.remove())

  /** Starts a worker that ends when nothing is left. */
  const start = (): { process: ChildProcess; said: () => string } => {
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
  }

  /** Starts a worker and waits until it writes the results of a job, in a transaction that takes a while. */
  const startMiddle = async (): Promise<ReturnType<typeof start>> => {
    await onWrite(url, 'PERFORM pg_sleep(1)')
    const worker = start()
    await until(async () => {
      const rows = await run(
        url,
        `SELECT FROM pg_stat_activity
         WHERE state = 'active' AND query LIKE 'INSERT INTO kith.results%'`,
      )
      return rows.length > 0
    })
    return worker
  }

  const submit = (name: string) => submitRerank({ ...inputs, store: url }, { name, jobSize: 20 })

  /** Waits for workers, which must end well, and for every query's one result. */
  const expectAll = async (name: string, started: readonly ReturnType<typeof start>[]) => {
    for (const { process: child, said } of started) {
      if (child.exitCode === null) await once(child, 'exit')
      if (child.exitCode !== 0) throw new Error(`a worker ended with ${child.exitCode}: ${said()}`)
    }
    expect(await countResults(url, name)).toBe(sizes.queries)
    const out = path(`${name}.trec`)
    await exportBatch({ store: url, name, out })
    expect(readFileSync(out, 'utf8')).toBe(readFileSync(path('one-machine.trec'), 'utf8'))
  }

  test('is killed in the middle of a job, which another worker does', async () => {
    await submit('killed')
    const first = await startMiddle()
    first.process.kill('SIGKILL')
    await onWrite(url, 'PERFORM pg_sleep(0.1)')
    await expectAll('killed', [start(), start()])
    expect(await givenAgain(url, 'killed')).toBe(1)
  })

  test('keeps the first result when a stalled worker finishes its job again', async () => {
    await submit('silent')
    const first = await startMiddle()
    // Others wait for the rows of its transaction, until the server ends that.
    first.process.kill('SIGSTOP')
    await onWrite(url, 'PERFORM pg_sleep(0.1)')
    const second = start()
    await until(async () => (await countResults(url, 'silent')) === sizes.queries)
    first.process.kill('SIGCONT')
    await expectAll('silent', [first, second])
    expect(await givenAgain(url, 'silent')).toBe(1)
  })
})
