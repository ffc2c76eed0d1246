import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { wantedDocuments } from '../src/join/prepared-texts.ts'
import { EarlyThreads, runTasks, SameThreadWorker } from '../src/tasks/task-pool.ts'

const doubling = {
  run: (task: number) => 2 * task,
}

/** Large enough for starting threads early. */
const run = join(temporaryFolder(), 'run.trec')
writeFileSync(run, Buffer.alloc(1 << 19))

const ids = Array.from({ length: 40 }, (_, i) => `d${i}`)
const inputs = { tokenizer: 'english', wanted: wantedDocuments(ids), count: false } as const

/** Prepares texts with two workers; returns the rows. */
async function prepare(threads?: EarlyThreads): Promise<number[]> {
  const blocks = ids.map((id) => ({ entries: [{ id, text: `word of ${id}` }] }))
  const rows: number[] = []
  for await (const [, block] of runTasks('prepare', inputs, blocks, 2, { batch: 1, threads })) {
    rows.push(...block.rows)
  }
  return rows
}

describe('threads', () => {
  const started: unknown[] = []
  const add = (thread: unknown): void => void started.push(thread)

  beforeEach(() => {
    started.length = 0
    process.on('worker', add)
    return () => void process.off('worker', add)
  })

  test('two workers are this thread and one more', async () => {
    expect(await prepare()).toEqual([...ids.keys()])
    expect(started).toHaveLength(1)
  })

  test('jobs one after the other borrow the threads that were started early', async () => {
    const threads = EarlyThreads.forRun('rerank', { run, workers: 2 })
    for (let job = 0; job < 3; job++) expect(await prepare(threads)).toEqual([...ids.keys()])
    expect(started).toHaveLength(1)
    await threads.close()
  })

  test('nobody borrows a thread that has died', async () => {
    const threads = EarlyThreads.forRun('rerank', { run, workers: 2 })
    // The event of a thread's start comes later.
    await setImmediate()
    await (started[0] as Worker).terminate()
    expect(threads.borrow({ name: 'prepare', inputs })).toBeUndefined()
    expect(await prepare(threads)).toEqual([...ids.keys()])
  })

  test('a thread that is still at work when its job fails ends', async () => {
    const threads = EarlyThreads.forRun('rerank', { run, workers: 2 })
    const thread = threads.borrow({ name: 'prepare', inputs })!
    const refused = expect(thread.run([{ entries: [] }])).rejects.toMatchObject({ code: 'CLOSED' })
    await thread.close()
    await refused
    await thread.ended
    expect(threads.borrow({ name: 'prepare', inputs })).toBeUndefined()
    expect(await prepare(threads)).toEqual([...ids.keys()])
    expect(started).toHaveLength(2)
  })
})

test('answers requests in their order and lets timers run between tasks', async () => {
  await using worker = new SameThreadWorker(Promise.resolve(doubling))
  let turns = 0
  const timer = setInterval(() => turns++, 0)
  const many = Array.from({ length: 2000 }, (_, i) => i)
  const answers = await Promise.all([worker.run(many), worker.run([7])])
  clearInterval(timer)
  expect(answers).toEqual([many.map((task) => 2 * task), [14]])
  expect(turns).toBeGreaterThan(0)
})

test('an error fails its request only', async () => {
  const job = {
    run(task: number) {
      if (task === 1) throw new Error('one')
      return task
    },
  }
  await using worker = new SameThreadWorker(Promise.resolve(job))
  const [failed, answered] = await Promise.allSettled([worker.run([1]), worker.run([2])])
  expect(failed).toMatchObject({ status: 'rejected', reason: { message: 'one' } })
  expect(answered).toMatchObject({ value: [2] })
})

test('a job that cannot be opened fails every request', async () => {
  await using worker = new SameThreadWorker<number, number>(Promise.reject(new Error('no file')))
  await expect(worker.run([1])).rejects.toThrow('no file')
  await expect(worker.run([1])).rejects.toThrow('no file')
})

test('closing fails requests that wait', async () => {
  const worker = new SameThreadWorker(Promise.resolve(doubling))
  const waiting = worker.run([1])
  const refused = expect(waiting).rejects.toMatchObject({ code: 'CLOSED' })
  await Promise.all([worker.close(), worker.close()])
  await refused
  await worker.ended
})
