import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RankedQuery, readRun, writeQrels, writeRun } from '@kith/ir'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { type FuseInputs, fuseRuns } from '../src/fuse/fuse-runs.ts'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)

/** Scores by document by query. Few documents and whole scores, so that there are ties. */
type Scores = Record<string, Record<string, number>>
const score = fc.integer({ min: -3, max: 9 })
const documents = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'é', 'f'), score, {
  minKeys: 1,
})
const runs = fc.array(fc.dictionary(fc.constantFrom('q1', 'q2', 'q3'), documents, { minKeys: 1 }), {
  minLength: 1,
  maxLength: 4,
})

/** Best first; ties by the document's id, descending. */
function ranked(scores: Readonly<Record<string, number>>): [id: string, score: number][] {
  return Object.entries(scores).sort(([a, x], [b, y]) => y - x || (a < b ? 1 : -1))
}

/** What a run says of one query's document, in plain words of docs/formats.md. */
function vote(scores: Scores[string], id: string, { method, rrfK = 60 }: Partial<FuseInputs>) {
  const list = ranked(scores)
  const values = list.map(([, value]) => value)
  const [highest, lowest] = [values[0]!, values.at(-1)!]
  const own = scores[id]
  if (method === 'min-max') {
    if (own === undefined) return 0
    return highest === lowest ? 1 : (own - lowest) / (highest - lowest)
  }
  if (method === 'z') {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length
    return variance === 0 ? 0 : ((own ?? lowest) - mean) / Math.sqrt(variance)
  }
  const rank = list.findIndex(([other]) => other === id) + 1
  return rank === 0 ? 0 : 1 / (rrfK + rank)
}

function expected(given: readonly Scores[], inputs: Partial<FuseInputs>): RankedQuery[] {
  const { weights = given.map(() => 1) } = inputs
  const queries = [...new Set(given.flatMap((run) => Object.keys(run)))]
  return queries.map((query) => {
    const ids = new Set(given.flatMap((run) => Object.keys(run[query] ?? {})))
    const sums = [...ids].map((id) => {
      const parts = given.map((run, i) =>
        run[query] ? weights[i]! * vote(run[query]!, id, inputs) : 0,
      )
      return [id, Math.fround(parts.reduce((sum, part) => sum + part, 0))] as const
    })
    const list = ranked(Object.fromEntries(sums))
    return { query, ids: list.map(([id]) => id), scores: list.map(([, sum]) => sum) }
  })
}

test('fuses runs as a plain computation does', async () => {
  const settings = fc.record({
    method: fc.constantFrom('rrf', 'min-max', 'z'),
    weights: fc.option(fc.array(fc.integer({ min: -1, max: 3 }), { minLength: 4, maxLength: 4 })),
    top: fc.option(fc.integer({ min: 1, max: 5 })),
    rrfK: fc.option(fc.integer({ min: 0, max: 70 })),
  })
  let fused = 0
  await fc.assert(
    fc.asyncProperty(runs, settings, async (given, { method, weights, top, rrfK }) => {
      const files = given.map((_, i) => path(`run-${i}.json`))
      for (const [i, run] of given.entries()) writeFileSync(files[i]!, JSON.stringify(run))
      const inputs: FuseInputs = {
        runs: files,
        out: path('fused.trec'),
        method: method as FuseInputs['method'],
        weights: weights?.slice(0, files.length),
        top: top ?? undefined,
        rrfK: method === 'rrf' ? (rrfK ?? undefined) : undefined,
      }
      await fuseRuns(inputs)
      const found = await readRun(inputs.out)
      for (const { query, ids, scores } of expected(given, inputs)) {
        const own = found.get(query)!
        expect(own.ids).toHaveLength(Math.min(inputs.top ?? 9, ids.length))
        own.ids.forEach((id, i) => {
          expect(own.scores[i]).toBeCloseTo(scores[i]!, 5)
          expect(own.scores[i]).toBeCloseTo(scores[ids.indexOf(id)]!, 5)
        })
        // Of z, sums in another order can differ in the bit by which equal ones change places.
        if (method !== 'z') expect(own.ids).toEqual(ids.slice(0, inputs.top))
        fused++
      }
    }),
    { numRuns: 40 },
  )
  expect(fused).toBeGreaterThan(40)
})

test('writes the same run and figures for any order of the runs', async () => {
  const lists = { a: ['x', 'y', 'z'], b: ['y', 'z', 'x'], c: ['z', 'x', 'y'] }
  const files = Object.keys(lists).map((name) => path(`${name}.trec`))
  for (const [name, ids] of Object.entries(lists)) {
    await writeRun(path(`${name}.trec`), [{ query: 'q', ids, scores: [3, 2, 1] }])
  }
  await writeQrels(path('qrels.trec'), new Map([['q', new Map([['z', 1]])]]))
  const written = []
  for (const order of [files, files.toReversed()]) {
    const result = await fuseRuns({
      runs: order,
      out: path('order.trec'),
      qrels: path('qrels.trec'),
      measuring: { measures: ['MRR@10'] },
    })
    written.push(readFileSync(path('order.trec'), 'utf8'))
    expect(result.queries).toBe(1)
    const names = result.figures!.evaluations.map(({ name }) => name)
    expect(names).toEqual([...order.map((file) => file.slice(folder.length + 1)), 'order.trec'])
    const figures = result.figures!.evaluations.map(({ evaluation }) => evaluation.mean['MRR@10'])
    // All three have the same ranks in another order: a tie, which the ids decide.
    expect(figures.at(-1)).toBe(1)
  }
  expect(written[0]).toMatch(/^q Q0 z 1 \S+ kith\nq Q0 y 2 \S+ kith\nq Q0 x 3 \S+ kith\n$/)
  expect(written[1]).toBe(written[0])
  const meta = JSON.parse(readFileSync(path('order.trec.meta.json'), 'utf8'))
  expect(meta).toMatchObject({ command: 'fuse', settings: { method: 'rrf', rrfK: 60 } })
})

test('refuses runs that cannot be fused', async () => {
  const files = { runs: [path('a.trec'), path('b.trec')], out: path('no.trec') }
  const wrong: [Partial<FuseInputs>, string][] = [
    [{ method: 'max' as 'z' }, 'method must be one of rrf, min-max, z, got "max"'],
    [{ method: 'z', rrfK: 10 }, 'rrfK'],
    [{ top: 0 }, 'top'],
    [{ weights: [1] }, '2 weights'],
    [{ rrfK: -1 }, 'k must be'],
    [{ runs: [] }, 'at least one run'],
  ]
  for (const [inputs, message] of wrong) {
    await expect(fuseRuns({ ...files, ...inputs })).rejects.toThrow(message)
  }
  const stop = AbortSignal.abort()
  await expect(fuseRuns(files, { signal: stop })).rejects.toMatchObject({ code: 'ABORTED' })
})
