import { KithError } from '@kith/core'
import { describe, expect, test } from 'vitest'
import { ThreadWorker, WorkerDied, workerEntry } from '../src/pool/index.ts'
import { type Act, entry, kinds, worker } from './pool-support.ts'

describe.each(kinds)('a %s', (kind) => {
  test('answers in the order of the requests', async () => {
    const one = worker(kind, { from: 10 })
    const slow = one.run({ action: 'slow', value: 'first', milliseconds: 20 })
    const order: unknown[] = []
    const counted = [1, 2].map(() => one.run({ action: 'count' }))
    for (const answer of [slow, ...counted]) void answer.then((value) => order.push(value))
    await Promise.all(counted)
    expect(order).toEqual(['first', 11, 12])
    await one.close()
  })

  test('passes on the error of a request and continues', async () => {
    const one = worker(kind)
    await expect(one.run({ action: 'fail', message: 'out of range' })).rejects.toMatchObject({
      ...{ name: 'RangeError', message: 'out of range', code: 'E_OWN', severity: 'FATAL' },
      stack: expect.stringMatching(/pool-service\.mjs/),
    })
    const coded = await one
      .run({ action: 'failCoded', message: 'too long' })
      .catch((error) => error)
    expect(coded).toBeInstanceOf(KithError)
    expect(coded).toMatchObject({
      code: 'BAD_SHAPE',
      message: new KithError('BAD_SHAPE', 'too long').message,
      cause: { message: 'the database said so', code: '57P01' },
    })
    await expect(one.run({ action: 'uncopied' })).rejects.toThrow(/could not be cloned/)
    await expect(one.run({ action: 'count', no: () => {} })).rejects.toThrow(/could not be cloned/)
    expect(await one.run({ action: 'count' })).toBe(1)
    await one.close()
  })

  test('tells every request why it could not be opened', async () => {
    const one = worker(kind, { refuse: 'no such model' })
    for (let i = 0; i < 2; i++) {
      const refused = one.run({ action: 'count' })
      await expect(refused).rejects.toThrow(new KithError('BAD_SHAPE', 'no such model').message)
    }
    await one.close()
  })

  test('fails the current and the queued requests when it exits during a request', async () => {
    for (const code of [0, 3]) {
      const one = worker(kind)
      const exit = one.run({ action: 'exit', code })
      const behind = one.run({ action: 'count' })
      const message = new RegExp(`^(kith: )?a counting worker ended .*\\b${code}\\b`)
      await expect(exit).rejects.toThrow(message)
      await expect(behind).rejects.toThrow(message)
      await one.ended
      expect(one.failure).toBeDefined()
      await expect(one.run({ action: 'count' })).rejects.toThrow(message)
      await one.close()
    }
  })

  test('fails the current request when it dies from an error outside of the request', async () => {
    const one = worker(kind)
    const outside = one.run({ action: 'throwOutside', message: 'nobody caught this' })
    await expect(outside).rejects.toThrow(
      kind === 'thread'
        ? /^a counting worker failed: nobody caught this$/
        : /a counting worker ended \(1\)/,
    )
    await one.ended
  })

  test('fails the current request when it is closed, and close waits for the exit', async () => {
    const one = worker(kind)
    await one.run({ action: 'count' })
    const slow = one.run({ action: 'slow', value: 1, milliseconds: 50 })
    const closing = one.close()
    await expect(slow).rejects.toMatchObject({ code: 'CLOSED' })
    await expect(one.run({ action: 'count' })).rejects.toMatchObject({
      code: 'CLOSED',
      message: 'a counting worker was closed',
    })
    await Promise.all([closing, one.close()])
    await one.ended
  })
})

test('closes a thread after its current request, runs its close handler, and drops queued requests', async () => {
  const flags = new Int32Array(new SharedArrayBuffer(12))
  const behind = new Int32Array(new SharedArrayBuffer(12))
  const closed = new Int32Array(new SharedArrayBuffer(4))
  const one = worker('thread', { closed })
  const lost = [flags, behind].map((which) =>
    one.run({ action: 'block', flags: which, milliseconds: 100 }).catch(() => {}),
  )
  Atomics.wait(flags, 0, 0)
  const closing = one.close()
  expect(flags[1]).toBe(0)
  await Promise.all([closing, ...lost])
  expect([...flags, ...behind, ...closed]).toEqual([1, 1, 0, 0, 0, 0, 1])
})

test('a thread that gets other data closes its work and begins anew', async () => {
  const closed = new Int32Array(new SharedArrayBuffer(4))
  const one = new ThreadWorker<unknown, Act, unknown>({ entry, job: 'a counting worker' })
  one.open({ from: 10, closed })
  expect(await one.run({ action: 'count' })).toBe(11)
  expect(closed[0]).toBe(0)
  one.open({ from: 20 })
  expect(await one.run({ action: 'count' })).toBe(21)
  expect(closed[0]).toBe(1)
  await one.close()
})

test('tells a long-running request in a thread that it was closed', async () => {
  const one = worker('thread')
  const endless = one.run({ action: 'untilStopped' })
  endless.catch(() => {})
  await one.close()
  await expect(endless).rejects.toMatchObject({ code: 'CLOSED' })
})

test('closes a thread whose work leaves timers behind', async () => {
  const one = worker('thread')
  await one.run({ action: 'leak' })
  await one.close()
})

test('reports a thread that runs out of memory, with advice', async () => {
  const one = new ThreadWorker<undefined, Act, unknown>({
    ...{ entry, data: undefined, job: 'a hungry worker', memoryAdvice: 'ask for less' },
    resourceLimits: { maxOldGenerationSizeMb: 16 },
  })
  const eating = one.run({ action: 'eatMemory' })
  await expect(eating).rejects.toMatchObject({
    code: 'OUT_OF_MEMORY',
    message: expect.stringMatching(/a hungry worker ran out of memory; ask for less/),
  })
  await one.ended
})

test('names the signal that killed a process', async () => {
  const one = worker('process')
  const killed = one.run({ action: 'kill' })
  await expect(killed).rejects.toThrow(/a counting worker ended \(SIGKILL\); use fewer workers/)
})

test('fails requests if the worker’s file is missing', async () => {
  const missing = new URL('./not-there.mjs', import.meta.url)
  const one = new ThreadWorker({ entry: missing, data: 1, job: 'a lost worker' })
  const asked = (await one.run(1).catch((error: unknown) => error)) as Error
  expect(asked).toBeInstanceOf(WorkerDied)
  // As a KithError, it is one line on the command line; the worker's own error is the cause.
  expect(asked).toBeInstanceOf(KithError)
  expect(asked).toMatchObject({ code: 'WORKER_DIED', cause: expect.any(Error) })
  expect((asked as Error).message).toMatch(/^a lost worker failed: Cannot find module/)
  await one.close()
})

test('transfers buffers of requests and answers to and from threads', async () => {
  const one = worker('thread')
  const moved = new ArrayBuffer(8)
  const answer = await one.run({ action: 'buffer', length: 4, moved }, [moved])
  expect(answer).toEqual(new Float64Array(4).fill(1))
  expect(moved.byteLength).toBe(0)
  await one.close()
})

test('resolves the entry of a worker to a built file, from sources and from built files', () => {
  const built = 'file:///src/kith/packages/x/dist/deep/worker.js'
  const source = 'file:///src/kith/packages/x/src/deep/pool.ts'
  const joined = 'file:///src/kith/packages/x/dist/shared.js'
  for (const importer of [source, joined, built.replace('worker', 'pool')]) {
    expect(workerEntry(importer, 'deep/worker.js').href).toBe(built)
  }
})
