import { expect, test } from 'vitest'
import { wantedDocuments } from '../src/join/prepared-texts.ts'
import { runTasks, SameThreadWorker } from '../src/tasks/task-pool.ts'

const doubling = {
  run: (task: number) => 2 * task,
}

test('two workers are this thread and one more', async () => {
  const threads: unknown[] = []
  const count = (thread: unknown): number => threads.push(thread)
  process.on('worker', count)
  try {
    const ids = Array.from({ length: 40 }, (_, i) => `d${i}`)
    const blocks = ids.map((id) => ({ entries: [{ id, text: `word of ${id}` }] }))
    const inputs = { tokenizer: 'english', wanted: wantedDocuments(ids), count: false } as const
    const rows: number[] = []
    for await (const [, block] of runTasks('prepare', inputs, blocks, 2, { batch: 1 })) {
      rows.push(...block.rows)
    }
    expect(rows).toEqual([...ids.keys()])
    expect(threads).toHaveLength(1)
  } finally {
    process.off('worker', count)
  }
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
