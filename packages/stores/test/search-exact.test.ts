import type { Matrix } from '@kith/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tries } from '../../../test/thorough.ts'
import { type Metric, searchExact } from '../src/index.ts'
import { kernels, searchBySorting, shared, stored, toHalves, wholeNumbers } from './support.ts'

const metrics: Metric[] = ['dot', 'cosine']

/** Whole numbers: their products are exact in any order of summation, ties included. */
const matrices = fc
  .record({
    dimensions: fc.integer({ min: 1, max: 19 }),
    queries: fc.integer({ min: 0, max: 7 }),
    documents: fc.integer({ min: 0, max: 300 }),
    seed: fc.integer(),
    range: fc.constantFrom(1, 2, 30),
  })
  .map(({ dimensions, queries, documents, seed, range }) => ({
    queries: wholeNumbers(queries, dimensions, seed, range),
    documents: wholeNumbers(documents, dimensions, seed ^ 0x5bd1e995, range),
  }))
const search = fc.record({
  matrices,
  top: fc.constantFrom(1, 2, 3, 10, 50, 200, 1000),
  metric: fc.constantFrom(...metrics),
})

describe.each(kernels)('exact search, %s', (kernel) => {
  it('finds the same documents as sorting all scores', async () => {
    await fc.assert(
      fc.asyncProperty(search, async ({ matrices: { queries, documents }, top, metric }) => {
        const options = { top, metric, workers: 0, kernel }
        const expected = searchBySorting(queries, documents, top, metric)
        const { rows, dimensions, data: memory } = documents
        expect(await searchExact(queries, { rows, dimensions, memory }, options)).toEqual(expected)
        expect(await searchExact(queries, stored(documents), options)).toEqual(expected)
        const halves = { rows, dimensions, memory: toHalves(memory) }
        expect(await searchExact(queries, halves, options)).toEqual(expected)
      }),
      tries(30),
    )
  })

  it('keeps the lower rows of many equal documents', async () => {
    const documents: Matrix = { data: new Float32Array(4000).fill(1), rows: 2000, dimensions: 2 }
    documents.data[3990] = 2
    const queries: Matrix = { data: Float32Array.of(1, 1), rows: 1, dimensions: 2 }
    const { rows } = await searchExact(queries, stored(documents), { top: 100, workers: 0, kernel })
    expect([...rows]).toEqual([1995, ...Array.from({ length: 99 }, (_, i) => i)])
  })

  it('treats 0 and −0 as a tie', async () => {
    // Products too small for float32: fused multiplication rounds the negative ones to −0.
    const memory = new Float32Array(16).fill(1e-30).fill(-1e-30, 0, 4)
    const documents = { memory, rows: 4, dimensions: 4 }
    const queries: Matrix = { data: memory.slice(4, 8), rows: 1, dimensions: 4 }
    const { rows } = await searchExact(queries, documents, { top: 3, kernel })
    expect([...rows]).toEqual([0, 1, 2])
  })

  it('gives vectors without length a cosine of 0', async () => {
    const documents = { memory: Float32Array.of(-1, 0, 0, 0, 2, 0), rows: 3, dimensions: 2 }
    const queries: Matrix = { data: Float32Array.of(3, 0, 0, 0), rows: 2, dimensions: 2 }
    const options = { top: 3, metric: 'cosine', kernel } as const
    const { rows, scores } = await searchExact(queries, documents, options)
    expect([...rows]).toEqual([2, 1, 0, 0, 1, 2])
    expect([...scores].map((score) => score + 0)).toEqual([1, 0, -1, 0, 0, 0])
  })

  it('reads half precision to the last bit', async () => {
    // Subnormal, smallest normal, largest, a third, and their negatives.
    const memory = Uint16Array.of(0x0001, 0x0400, 0x7bff, 0x3555, 0x8001, 0x8400, 0xfbff, 0xb555)
    const queries: Matrix = { data: Float32Array.of(1), rows: 1, dimensions: 1 }
    const { scores } = await searchExact(
      queries,
      { rows: 8, dimensions: 1, memory },
      { top: 8, kernel },
    )
    const positive = [65504, 1365 / 4096, 2 ** -14, 2 ** -24]
    expect([...scores]).toEqual([...positive, ...positive.map((value) => -value).reverse()])
  })
})

describe('searchExact with worker threads', () => {
  // Three blocks and more, of a length that is no multiple of 4.
  const dimensions = 1023
  const documents = wholeNumbers(2100, dimensions, 1, 1)
  const queries = wholeNumbers(5, dimensions, 2, 1)
  const halves = {
    rows: documents.rows,
    dimensions,
    memory: toHalves(documents.data),
  }

  it.each(metrics)(
    'finds the same for any number of workers, from any source, %s',
    async (metric) => {
      const expected = searchBySorting(queries, documents, 70, metric)
      for (const workers of [0, 1, 2, 3]) {
        const options = { top: 70, metric, workers }
        expect(await searchExact(queries, shared(documents), options)).toEqual(expected)
        expect(await searchExact(queries, stored(documents), options)).toEqual(expected)
        expect(await searchExact(queries, halves, options)).toEqual(expected)
      }
    },
  )

  it.each(kernels)('computes bit-equal scores of any numbers, %s', async (kernel) => {
    const noise = { ...documents, data: documents.data.map((value, i) => Math.sin(i) * value) }
    const options = { top: 100, metric: 'cosine', kernel } as const
    const expected = await searchExact(queries, shared(noise), { ...options, workers: 0 })
    for (const workers of [1, 2, 3]) {
      expect(await searchExact(queries, shared(noise), { ...options, workers })).toEqual(expected)
    }
    expect(await searchExact(queries, stored(noise), { ...options, workers: 2 })).toEqual(expected)
  })

  it('runs one search after another, and several at once', async () => {
    const options = { top: 9, workers: 2 }
    const first = wholeNumbers(3, dimensions, 3, 1)
    const searches = [queries, first, queries].map(async (some) =>
      expect(await searchExact(some, shared(documents), options)).toEqual(
        searchBySorting(some, documents, 9, 'dot'),
      ),
    )
    await Promise.all(searches)
    expect(await searchExact(first, stored(documents), options)).toEqual(
      searchBySorting(first, documents, 9, 'dot'),
    )
  })

  it('reports progress up to all documents', async () => {
    for (const workers of [0, 2]) {
      const seen: number[] = []
      const onProgress = (done: number, total: number) => {
        expect(total).toBe(documents.rows)
        seen.push(done)
      }
      await searchExact(queries, shared(documents), { top: 5, workers, onProgress })
      expect(seen.length).toBeGreaterThan(3)
      expect(seen).toEqual(seen.toSorted((a, b) => a - b))
      expect(seen.at(-1)).toBe(documents.rows)
    }
  })
})

it('reads the embeddings of @kith/ir, in memory or not', async () => {
  interface Embeddings {
    readonly rows: number
    readonly dimensions: number
    readonly type: 'f16' | 'f32'
    read(from: number, to: number, into?: Float32Array): Float32Array
    readonly memory: Float32Array | Uint16Array | undefined
  }
  const documents = wholeNumbers(50, 6, 7, 5)
  const embeddings: Embeddings = {
    ...{ rows: 50, dimensions: 6, type: 'f32', memory: undefined },
    read: (from, to) => documents.data.subarray(from * 6, to * 6),
  }
  const queries = wholeNumbers(2, 6, 8, 5)
  const expected = searchBySorting(queries, documents, 5, 'dot')
  expect(await searchExact(queries, embeddings, { top: 5 })).toEqual(expected)
  const loaded: Embeddings = { ...embeddings, memory: documents.data }
  expect(await searchExact(queries, loaded, { top: 5 })).toEqual(expected)
})

it('makes as many passes as the queries need memory for', async () => {
  const documents = wholeNumbers(9000, 3, 5, 20)
  const queries = wholeNumbers(2500, 3, 6, 20)
  let last = 0
  const options = {
    top: 9000,
    workers: 0,
    onProgress: (_: number, total: number) => (last = total),
  }
  const { rows, perQuery } = await searchExact(queries, shared(documents), options)
  expect(last).toBeGreaterThan(documents.rows)
  for (const q of [0, 1700, 2499]) {
    const query = { data: queries.data.subarray(q * 3, q * 3 + 3), rows: 1, dimensions: 3 }
    const expected = searchBySorting(query, documents, 9000, 'dot').rows
    expect(rows.subarray(q * perQuery, (q + 1) * perQuery)).toEqual(expected)
  }
})
