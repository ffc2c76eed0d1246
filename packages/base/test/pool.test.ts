import { execFile } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inBatches, orderedMap } from '../src/pool/index.ts'
import { type Act, collect, kinds, poolOf } from './pool-support.ts'

const doubles = (count: number): Act[] =>
  Array.from({ length: count }, (_, value) => ({ action: 'double', value }))

describe.each(kinds)('a pool of type %s', (kind) => {
  test('answers many requests in order, on at most the given number of workers', async () => {
    const pool = poolOf(kind, { size: 2 })
    const answers = await Promise.all(doubles(20).map((request) => pool.run(() => request)))
    expect(answers).toEqual(Array.from({ length: 20 }, (_, i) => 2 * i))
    const mapped = await collect(pool.map(doubles(20)))
    expect(mapped).toEqual(doubles(20).map((request, i) => [request, 2 * i]))
    expect(pool.started()).toBe(2)
    await pool.close()
  })

  test('replaces a worker that exits during a request or between two requests', async () => {
    const pool = poolOf(kind, { size: 1 })
    const exit = pool.run(() => ({ action: 'exit', code: 3 }))
    const next = pool.run(() => ({ action: 'count' }))
    await expect(exit).rejects.toThrow(/a counting worker ended .*3/)
    expect(await next).toBe(1)
    const idle = await pool.acquire()
    await idle.run({ action: 'exitLater', milliseconds: 0 })
    pool.release(idle)
    await idle.ended
    expect(await pool.run(() => ({ action: 'count' }))).toBe(1)
    expect(pool.started()).toBe(3)
    await pool.close()
  })

  test('fails a map at the request whose worker died, after the answers before it', async () => {
    const pool = poolOf(kind, { size: 2 })
    const requests = doubles(12)
    requests[5] = { action: 'exit', code: 4 }
    const seen: unknown[] = []
    const mapping = (async () => {
      for await (const [, answer] of pool.map(requests)) seen.push(answer)
    })()
    await expect(mapping).rejects.toThrow(/a counting worker ended .*4/)
    expect(seen).toEqual([0, 2, 4, 6, 8])
    expect(await pool.run(() => ({ action: 'double', value: 4 }))).toBe(8)
    await pool.close()
  })

  test('fails running and waiting requests on close, which may be called again', async () => {
    const pool = poolOf(kind, { size: 1, closed: 'the work was stopped' })
    await pool.run(() => ({ action: 'count' }))
    const slow = pool.run(() => ({ action: 'slow', value: 1, milliseconds: 30 }))
    const waits = pool.run(() => ({ action: 'count' }))
    const both = Promise.allSettled([slow, waits])
    await Promise.all([pool.close(), pool.close()])
    for (const { status, ...rest } of await both) {
      expect(status).toBe('rejected')
      expect(String((rest as PromiseRejectedResult).reason)).toMatch(/the work was stopped/)
    }
    await expect(pool.run(() => ({ action: 'count' }))).rejects.toMatchObject({ code: 'CLOSED' })
    await pool.close()
    expect(pool.started()).toBe(1)
  })
})

test('starts another worker only for requests that have waited for the given patience', async () => {
  const patient = poolOf('thread', { size: 3, patience: 60_000 })
  await Promise.all(doubles(20).map((request) => patient.run(() => request)))
  expect(patient.started()).toBe(1)
  await patient.close()
  const less = poolOf('thread', { size: 3, patience: 5 })
  const endless = less.run(() => ({ action: 'untilStopped' }))
  expect(await less.run(() => ({ action: 'count' }))).toBe(1)
  expect(less.started()).toBe(2)
  const ended = expect(endless).rejects.toMatchObject({ code: 'CLOSED' })
  await less.close()
  await ended
})

test('creates a request only when a worker is free', async () => {
  const pool = poolOf('thread', { size: 1 })
  let made = 0
  const count = (): Act => {
    made++
    return { action: 'count' }
  }
  const all = [pool.run(count), pool.run(count), pool.run(count)]
  await all[0]
  expect(made).toBeLessThan(3)
  await Promise.all(all)
  const failing = pool.run(() => {
    throw new Error('cannot be made')
  })
  await expect(failing).rejects.toThrow('cannot be made')
  expect(await pool.run(count)).toBe(4)
  await pool.close()
})

test('removes a waiting request from the queue, or stops waiting for a running one, on a signal', async () => {
  const pool = poolOf('thread', { size: 1 })
  const [first, second] = [new AbortController(), new AbortController()]
  const running = pool.run(() => ({ action: 'slow', milliseconds: 30 }), first.signal)
  let made = false
  const waiting = pool.run(() => {
    made = true
    return { action: 'count' }
  }, second.signal)
  second.abort(new Error('not needed'))
  await expect(waiting).rejects.toThrow('not needed')
  first.abort(new Error('nor this'))
  await expect(running).rejects.toThrow('nor this')
  expect(await pool.run(() => ({ action: 'count' }))).toBe(1)
  expect(made).toBe(false)
  await expect(pool.run(() => ({ action: 'count' }), second.signal)).rejects.toThrow('not needed')
  await pool.close()
})

test('ends many requests with one signal, without a warning about leaking listeners', async () => {
  const warnings: Error[] = []
  const warned = (warning: Error) => warnings.push(warning)
  process.on('warning', warned)
  const pool = poolOf('thread', { size: 2 })
  const stop = new AbortController()
  const slow = { action: 'slow', milliseconds: 20 }
  const all = Array.from({ length: 40 }, () => pool.run(() => slow, stop.signal))
  const settled = Promise.allSettled(all)
  await all[0]
  stop.abort(new Error('enough'))
  const reasons = (await settled).flatMap((one) => (one.status === 'rejected' ? one.reason : []))
  expect(reasons.length).toBeGreaterThan(30)
  for (const reason of reasons)
    expect(reason).toMatchObject({ code: 'ABORTED', cause: stop.signal.reason })
  await new Promise(setImmediate)
  process.off('warning', warned)
  expect(warnings).toEqual([])
  await pool.close()
})

test('starts workers as needed, and gives each several requests up to the depth', async () => {
  const pool = poolOf('thread', { size: 2, depth: 2 })
  await pool.run(() => ({ action: 'count' }))
  await pool.run(() => ({ action: 'count' }))
  expect(pool.started()).toBe(1)
  const workers = await Promise.all([1, 2, 3, 4].map(() => pool.acquire()))
  expect(new Set(workers).size).toBe(2)
  const fifth = pool.acquire()
  pool.release(workers[3]!)
  expect(await fifth).toBe(workers[3])
  await pool.close()
})

test('gives an acquired worker to nobody else, and does not reuse it once it was closed', async () => {
  const pool = poolOf('thread', { size: 2 })
  const mine = await pool.acquire()
  const other = await pool.acquire()
  expect(other).not.toBe(mine)
  await mine.run({ action: 'count' })
  expect(await mine.run({ action: 'count' })).toBe(2)
  void mine.close()
  pool.release(mine)
  pool.release(other)
  const again = await Promise.all([pool.acquire(), pool.acquire()])
  expect(again).toContain(other)
  expect(again).not.toContain(mine)
  await pool.close()
})

test('closes a worker that has been idle for the given time', async () => {
  const pool = poolOf('thread', { size: 1, idle: 1 })
  const one = await pool.acquire()
  await one.run({ action: 'count' })
  pool.release(one)
  // The timer does not keep the program alive; this one does.
  const alive = setInterval(() => {}, 1000)
  await one.ended
  clearInterval(alive)
  expect(await pool.run(() => ({ action: 'count' }))).toBe(1)
  expect(pool.started()).toBe(2)
  await pool.close()
})

test('fails the request if a worker cannot be started', async () => {
  const pool = poolOf('thread', { size: 1 }, { no: () => {} })
  const asked = [1, 2].map(() => pool.run(() => ({ action: 'count' })))
  for (const one of asked) await expect(one).rejects.toThrow(/could not be cloned/)
  await pool.close()
})

test('does not keep a program alive for idle workers', async () => {
  const program = fileURLToPath(new URL('./pool-program.mjs', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [program])
  expect(stdout).toBe('2\n2\n')
})

describe('orderedMap', () => {
  test('yields the same answers for any concurrency, and reads only a bounded number of tasks ahead', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(3), { maxLength: 30 }),
        fc.integer({ min: 1, max: 6 }),
        fc.boolean(),
        async (pauses, ahead, slowConsumer) => {
          let [read, taken, most] = [0, 0, 0]
          async function* source() {
            for (const task of pauses.entries()) {
              read++
              expect(read - taken).toBeLessThanOrEqual(ahead + 1)
              yield task
            }
          }
          let running = 0
          const work = async ([i, pause]: [number, number]) => {
            most = Math.max(most, ++running)
            for (let turn = 0; turn < pause; turn++) await new Promise(setImmediate)
            running--
            return i
          }
          const answers: number[] = []
          for await (const [[i], answer] of orderedMap(source(), work, { ahead })) {
            expect(answer).toBe(i)
            answers.push(answer)
            if (slowConsumer) for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
            taken++
          }
          expect(answers).toEqual([...pauses.keys()])
          expect(most).toBeLessThanOrEqual(ahead)
        },
      ),
      { numRuns: 60 },
    )
  })

  const numbers = function* (state: { closed?: boolean; read?: number }) {
    try {
      for (let i = 0; ; i++) {
        state.read = i + 1
        yield i
      }
    } finally {
      state.closed = true
    }
  }
  const double = async (value: number) => value * 2

  test('throws the error of a source after all answers before it', async () => {
    async function* failing() {
      yield* [0, 1, 2]
      throw new Error('the source broke')
    }
    const seen: number[] = []
    const mapping = (async () => {
      for await (const [, answer] of orderedMap(failing(), double, { ahead: 5 })) seen.push(answer)
    })()
    await expect(mapping).rejects.toThrow('the source broke')
    expect(seen).toEqual([0, 2, 4])
  })

  test('throws the first error in the order of the tasks, and closes the source', async () => {
    const state: { closed?: boolean } = {}
    const seen: number[] = []
    const work = async (i: number, signal: AbortSignal) => {
      // The later one fails first.
      await setTimeout(i === 2 ? 20 : 0, undefined, { signal })
      if (i >= 2) throw new Error(`task ${i}`)
      return i
    }
    const mapping = (async () => {
      for await (const [i] of orderedMap(numbers(state), work, { ahead: 4 })) seen.push(i)
    })()
    await expect(mapping).rejects.toThrow('task 2')
    expect(seen).toEqual([0, 1])
    expect(state.closed).toBe(true)
  })

  test('closes the source and aborts running tasks when the loop is left early', async () => {
    const state: { closed?: boolean; read?: number } = {}
    const signals: AbortSignal[] = []
    const work = async (i: number, signal: AbortSignal) => {
      signals.push(signal)
      return i
    }
    for await (const [i] of orderedMap(numbers(state), work, { ahead: 3 })) if (i === 4) break
    expect(state).toMatchObject({ closed: true })
    expect(state.read).toBeLessThanOrEqual(5 + 3)
    expect(signals.every(({ aborted }) => aborted)).toBe(true)
  })

  test('stops on a signal in mid-stream, with a stuck source, and before it begins', async () => {
    const state: { closed?: boolean } = {}
    const stop = new AbortController()
    const { signal } = stop
    const seen: number[] = []
    const mapping = (async () => {
      for await (const [i] of orderedMap(numbers(state), double, { ahead: 3, signal })) {
        seen.push(i)
        if (i === 6) stop.abort(new Error('enough'))
      }
    })()
    await expect(mapping).rejects.toThrow('enough')
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6])
    expect(state.closed).toBe(true)

    async function* stuck() {
      yield 1
      await new Promise(() => {})
    }
    const later = new AbortController()
    const waits = collect(orderedMap(stuck(), double, { ahead: 3, signal: later.signal }))
    setImmediate(() => later.abort(new Error('no patience')))
    await expect(waits).rejects.toThrow('no patience')

    await expect(collect(orderedMap([1], double, { ahead: 1, signal }))).rejects.toThrow('enough')
  })

  test('yields an answer while the source has not yet returned the next task', async () => {
    let go: () => void = () => {}
    async function* source() {
      yield 1
      await new Promise<void>((resolve) => {
        go = resolve
      })
      yield 2
    }
    const mapping = orderedMap(source(), double, { ahead: 2 })
    expect(await mapping.next()).toMatchObject({ value: [1, 2] })
    go()
    expect(await collect(mapping)).toEqual([[2, 4]])
  })
})

test('splits a list into batches of the given size, the last one with the rest', async () => {
  expect(await collect(inBatches([1, 2, 3, 4, 5], 2))).toEqual([[1, 2], [3, 4], [5]])
  expect(await collect(inBatches([], 2))).toEqual([])
})
