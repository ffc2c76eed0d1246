import { resolveMethodSettings } from '@kith/core'
import { type RankedQuery, RunBuilder } from '@kith/ir'
import { shareRankings } from '@kith/ir/internal'
import { describe, expect, test } from 'vitest'
import type { SliceTask } from '../src/tasks/open-run.ts'
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
/** The numbers of the rows are their ids. */
const idsOf = (rows: number) => ({ rows, index: undefined })
const inputs = {
  queries: { file: '', dimensions: DIMENSIONS, rows: { memory: queries } },
  docs: { file: '', dimensions: DIMENSIONS, rows: { memory: vectors(DOCUMENTS, 2) } },
  ids: { queries: idsOf(TASKS), docs: idsOf(DOCUMENTS) },
  texts: undefined,
  settings: resolveMethodSettings(),
  missing: 'error',
  lookedAt: 10,
  form: undefined,
} as const

/** Slices of one query each. */
function* tasks(count = TASKS): Generator<SliceTask> {
  for (let row = 0; row < count; row++) {
    const builder = new RunBuilder()
    const ids = Array.from({ length: 10 }, (_, i) => String((row + 3 * i) % DOCUMENTS))
    builder.add({ query: String(row), ids, scores: ids.map((_, i) => -i) })
    for (const rankings of shareRankings(builder.finish())) yield { rankings }
  }
}

async function results(
  workers: number,
  some: Iterable<SliceTask> | AsyncIterable<SliceTask> = tasks(),
  signal?: AbortSignal,
  seen: RankedQuery[] = [],
): Promise<RankedQuery[]> {
  for await (const [, { rankings }] of runTasks('rerank', inputs, some, workers, { signal })) {
    seen.push(...rankings)
  }
  return seen
}

test('returns the same answers in the order of the tasks for any number of workers', async () => {
  const expected = await results(1)
  expect(expected.map(({ query }) => query)).toEqual(
    Array.from({ length: TASKS }, (_, q) => String(q)),
  )
  for (const workers of [2, 3]) expect(await results(workers)).toEqual(expected)
  expect(await results(3, tasks(0))).toEqual([])
})

describe.each([1, 2])('runTasks with %i workers', (workers) => {
  test('names the query of an error', async () => {
    const bad = vectors(TASKS, 1)
    bad[130 * DIMENSIONS + 1] = Number.NaN
    const failing = (async () => {
      const data = { ...inputs, queries: { ...inputs.queries, rows: { memory: bad } } }
      for await (const [, { rankings }] of runTasks('rerank', data, tasks(200), workers)) {
        expect(Number(rankings[0]!.query)).toBeLessThan(130)
      }
    })()
    await expect(failing).rejects.toThrow(/query 130: .*NaN/)
  })

  test('stops on a signal', async () => {
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

  test('throws the error of a source after the answers before it', async () => {
    async function* failing() {
      yield* tasks(128)
      throw new Error('the run ends in mid-line')
    }
    const seen: RankedQuery[] = []
    const failed = results(workers, failing(), undefined, seen)
    await expect(failed).rejects.toThrow('the run ends in mid-line')
    expect(seen.length).toBe(128)
  })
})
