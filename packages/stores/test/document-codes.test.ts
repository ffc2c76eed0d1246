import { join } from 'node:path'
import type { Matrix } from '@kith/core'
import { openEmbeddings, writeEmbeddings } from '@kith/ir'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { tries } from '../../../test/thorough.ts'
import { DocumentCodes } from '../src/exact/document-codes.ts'
import { type Metric, openStore, searchExact } from '../src/index.ts'
import { type Kind, kernels, kinds, matrix, rowOf } from './support.ts'

const compiled = kernels.filter((name) => name !== 'typescript')
const metrics: Metric[] = ['dot', 'cosine']
const folder = temporaryFolder()

/** Documents as if in a file, with the number of rows read one by one and in a row. */
function inFile({ data, rows, dimensions }: Matrix) {
  const counts = { gathered: 0, read: 0 }
  const documents = {
    ...{ rows, dimensions },
    read(from: number, to: number, into = new Float32Array((to - from) * dimensions)) {
      counts.read += to - from
      into.set(data.subarray(from * dimensions, to * dimensions))
      return into
    },
    gather(some: ArrayLike<number>, into = new Float32Array(some.length * dimensions)) {
      counts.gathered += some.length
      Array.from(some).forEach((row, i) => {
        into.set(data.subarray(row * dimensions, (row + 1) * dimensions), i * dimensions)
      })
      return into
    },
  }
  return { documents, counts }
}

const cases = fc.record({
  dimensions: fc.constantFrom(16, 48, 272),
  queryCount: fc.constantFrom(1, 3, 33),
  documentCount: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 600, max: 2000 })),
  queryKind: fc.constantFrom(...(Object.keys(kinds) as Kind[])),
  documentKind: fc.constantFrom(
    ...(Object.keys(kinds) as Kind[]).filter((kind) => kind !== 'long'),
  ),
  top: fc.constantFrom(1, 3, 20, 150),
  metric: fc.constantFrom(...metrics),
  seed: fc.integer({ min: 1, max: 2 ** 30 }),
})

describe.each(compiled)('codes of documents, %s', (kernel) => {
  it('find the same documents as a search of all vectors, bit for bit', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (one) => {
        const { dimensions, queryCount, documentCount, top, metric, seed } = one
        const queries = matrix(queryCount, dimensions, one.queryKind, seed)
        const all = matrix(documentCount, dimensions, one.documentKind, seed ^ 0x2545f491)
        // Vectors longer than 1e15 have no codes.
        if (one.documentKind === 'lengths') all.data.set(all.data.map((value) => value / 1000))
        const { documents } = inFile(all)
        const options = { top, metric, kernel, workers: 0 }
        const memory = { ...all, memory: all.data }
        const outcome = (search: Promise<unknown>) => search.catch((error) => error.message)
        const expected = await outcome(searchExact(queries, memory, options))
        const codes = (await DocumentCodes.of(documents, kernel))!
        expect(await outcome(codes.search(queries, top, metric))).toEqual(expected)
      }),
      tries(60),
    )
  })

  it.each(metrics)('read only the documents that may be among the best, %s', async (metric) => {
    const all = matrix(20_000, 64, 'noise', 5)
    const { documents, counts } = inFile(all)
    const codes = (await DocumentCodes.of(documents, kernel))!
    expect(counts).toEqual({ gathered: 0, read: 20_000 })
    for (let row = 0; row < 50; row++) {
      const query = { data: rowOf(matrix(50, 64, 'noise', 6), row), rows: 1, dimensions: 64 }
      const found = await codes.search(query, 20, metric)
      const memory = { ...all, memory: all.data }
      expect(found).toEqual(await searchExact(query, memory, { top: 20, metric, kernel }))
    }
    expect(counts.read).toBe(20_000)
    expect(counts.gathered).toBeLessThan(50 * 200)
  })

  it('score all documents if too many tie', async () => {
    const { documents, counts } = inFile(matrix(2000, 16, 'equal', 1))
    const codes = (await DocumentCodes.of(documents, kernel))!
    const { rows } = await codes.search(matrix(1, 16, 'positive', 1), 3, 'dot')
    expect([...rows]).toEqual([0, 1, 2])
    expect(counts.read).toBe(4000)
  })

  it('answer searches that run at the same time', async () => {
    const all = matrix(40_000, 16, 'noise', 8)
    const codes = (await DocumentCodes.of(inFile(all).documents, kernel))!
    const queries = Array.from({ length: 5 }, (_, seed) => matrix(1, 16, 'noise', seed + 20))
    const together = await Promise.all(queries.map((query) => codes.search(query, 9, 'dot')))
    for (const [i, query] of queries.entries()) {
      expect(together[i]).toEqual(await codes.search(query, 9, 'dot'))
    }
  })

  it.each([
    ['dimensions that are no multiple of 16', 20, 'noise'],
    ['a vector that is too long', 16, 'long'],
  ] as const)('are undefined for %s', async (_, dimensions, kind) => {
    const { documents } = inFile(matrix(20, dimensions, kind, 3))
    expect(await DocumentCodes.of(documents, kernel)).toBeUndefined()
  })
})

it.each([
  ['f32', 384, 11_000],
  ['f16', 384, 22_000],
  ['f32', 20, 212_000],
] as const)(
  'a file of %s with %i dimensions is searched as in memory',
  async (type, dimensions, count) => {
    const file = join(folder, `${type}-${dimensions}.npy`)
    const all = matrix(count, dimensions, 'noise', 9)
    const ids = Array.from({ length: count }, (_, row) => `d${row}`)
    const rows = ids.map((_, row) => rowOf(all, row))
    await writeEmbeddings(file, { dimensions, ids, type }, rows)
    await using store = await openStore(file)
    await using embeddings = await openEmbeddings(file)
    const queries = matrix(2, dimensions, 'noise', 10)
    for (const metric of metrics) {
      const hits = await store.search(queries, { top: 10, metric })
      const expected = await searchExact(queries, embeddings, { top: 10, metric })
      expect(hits.flatMap(({ ids }) => ids)).toEqual([...expected.rows].map((row) => ids[row]))
      expect(hits.flatMap(({ scores }) => [...scores])).toEqual([...expected.scores])
      expect(hits[0]!.vectors).toEqual(embeddings.gather(expected.rows.subarray(0, 10)))
    }
  },
)

it('a search that has begun ends before its file is closed', async () => {
  const file = join(folder, 'closed.npy')
  const all = matrix(11_000, 384, 'noise', 12)
  const ids = Array.from({ length: all.rows }, (_, row) => `d${row}`)
  const rows = ids.map((_, row) => rowOf(all, row))
  await writeEmbeddings(file, { dimensions: 384, ids }, rows)
  const store = await openStore(file)
  const query = { data: rows[77]!, rows: 1, dimensions: 384 }
  const before = store.search(query, { top: 3 })
  await store.remove(['d77'])
  const after = store.search(query, { top: 3 })
  await store.close()
  expect((await before)[0]!.ids[0]).toBe('d77')
  expect((await after)[0]!.ids).not.toContain('d77')
})
