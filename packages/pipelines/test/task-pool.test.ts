import { type Ranking, resolveMethodSettings } from '@kith/core'
import { describe, expect, test } from 'vitest'
import type { RerankTask } from '../src/rerank/rerank-tasks.ts'
import { runTasks } from '../src/tasks/task-pool.ts'

const DIMENSIONS = 4
const DOCUMENTS = 50
/** Several batches for each worker. */
const TASKS = 700

function vectors(rows: number, seed: number): Float32Array {
  const data = new Float32Array(new SharedArrayBuffer(4 * rows * DIMENSIONS))
  return data.map((_, i) => Math.sin(seed + i * i))
}

const queries = vectors(TASKS, 1)
const inputs = {
  queries: { file: '', dimensions: DIMENSIONS, memory: queries },
  docs: { file: '', dimensions: DIMENSIONS, memory: vectors(DOCUMENTS, 2) },
  queryTexts: undefined,
  docTexts: undefined,
  settings: resolveMethodSettings(),
}

function* tasks(count = TASKS): Generator<RerankTask> {
  for (let row = 0; row < count; row++) {
    const rows = Uint32Array.from({ length: 10 }, (_, i) => (row + 3 * i) % DOCUMENTS)
    const places = Uint32Array.from(rows.keys())
    yield { query: `q${row}`, row, text: 0, rows, texts: new Uint32Array(10), places }
  }
}

async function results(
  workers: number,
  some: Iterable<RerankTask> | AsyncIterable<RerankTask> = tasks(),
  signal?: AbortSignal,
  seen: [string, Ranking][] = [],
): Promise<[string, Ranking][]> {
  for await (const [{ query }, answer] of runTasks('rerank', inputs, some, workers, { signal })) {
    seen.push([query, answer])
  }
  return seen
}

test('any number of workers gives the same answers, in the order of the tasks', async () => {
  const expected = await results(1)
  expect(expected.map(([query]) => query)).toEqual([...tasks()].map(({ query }) => query))
  for (const workers of [2, 3]) expect(await results(workers)).toEqual(expected)
  expect(await results(3, tasks(0))).toEqual([])
})

describe.each([1, 2])('%i workers', (workers) => {
  test('an error names its query', async () => {
    const bad = vectors(TASKS, 1)
    bad[130 * DIMENSIONS + 1] = Number.NaN
    const failing = (async () => {
      const data = { ...inputs, queries: { ...inputs.queries, memory: bad } }
      for await (const [task] of runTasks('rerank', data, tasks(200), workers)) {
        expect(task.row).toBeLessThan(130)
      }
    })()
    await expect(failing).rejects.toThrow(/query q130: .*NaN/)
  })

  test('a signal stops it', async () => {
    const stop = new AbortController()
    let read = 0
    function* counted() {
      for (const task of tasks()) {
        if (++read === 600) stop.abort(new Error('enough'))
        yield task
      }
    }
    await expect(results(workers, counted(), stop.signal)).rejects.toThrow('enough')
    expect(read).toBeLessThan(TASKS)
  })

  test('a source that fails does so after the answers before it', async () => {
    async function* failing() {
      yield* tasks(128)
      throw new Error('the run ends in mid-line')
    }
    const seen: [string, Ranking][] = []
    const failed = results(workers, failing(), undefined, seen)
    await expect(failed).rejects.toThrow('the run ends in mid-line')
    expect(seen.length).toBe(128)
  })
})
