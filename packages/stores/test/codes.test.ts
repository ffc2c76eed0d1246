import type { Matrix } from '@kith/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tries } from '../../../test/thorough.ts'
import { encodeQuery, encodeTwice, slackFor } from '../src/exact/query-codes.ts'
import { recipeFor } from '../src/exact/search-exact.ts'
import { type Layout, layoutFor, type WasmExports } from '../src/exact/wasm-layout.ts'
import { type ExactSearchOptions, type Metric, searchExact } from '../src/index.ts'
import {
  type Kind,
  kernels,
  kinds,
  matrix,
  rowOf,
  shared,
  stored,
  toHalves,
  wholeNumbers,
} from './support.ts'

const compiled = kernels.filter((name) => name !== 'typescript')
const metrics: Metric[] = ['dot', 'cosine']

const cases = fc.record({
  dimensions: fc.constantFrom(16, 48, 256, 272, 20),
  queryCount: fc.integer({ min: 1, max: 5 }),
  documentCount: fc.integer({ min: 1, max: 900 }),
  queryKind: fc.constantFrom<Kind>(
    'noise',
    'signs',
    'positive',
    'equal',
    'zeros',
    'spike',
    'short',
  ),
  documentKind: fc.constantFrom(...(Object.keys(kinds) as Kind[])),
  top: fc.constantFrom(1, 3, 20, 150),
  metric: fc.constantFrom(...metrics),
  seed: fc.integer({ min: 1, max: 2 ** 30 }),
})

describe.each(compiled)('searchExact with codes, %s', (kernel) => {
  it('finds the same documents as without codes, bit for bit', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (one) => {
        const { dimensions, queryCount, documentCount, top, metric, seed } = one
        const queries = matrix(queryCount, dimensions, one.queryKind, seed)
        const documents = matrix(documentCount, dimensions, one.documentKind, seed ^ 0x2545f491)
        const options = { top, metric, kernel, workers: 0 }
        const expected = await searchExact(queries, shared(documents), { ...options, codes: false })
        const coded = { ...options, codes: true }
        expect(await searchExact(queries, shared(documents), coded)).toEqual(expected)
        expect(await searchExact(queries, stored(documents), coded)).toEqual(expected)
      }),
      tries(40),
    )
  })

  it('finds the same documents in half precision', async () => {
    const queries = wholeNumbers(3, 256, 5, 30)
    const { data, rows, dimensions } = wholeNumbers(1500, 256, 6, 30)
    const halves = { rows, dimensions, memory: toHalves(data) }
    const options = { top: 5, kernel, workers: 0 }
    const expected = await searchExact(queries, halves, { ...options, codes: false })
    expect(await searchExact(queries, halves, { ...options, codes: true })).toEqual(expected)
  })

  it('searches again if the sample set the threshold too high', async () => {
    // Every 16th document is good, and every 32nd is sampled.
    const documents = matrix(4096, 16, 'noise', 7)
    documents.data.forEach((value, i) => {
      documents.data[i] = i % 256 < 16 ? 10 + value : value
    })
    const queries = matrix(3, 16, 'positive', 8)
    const options: ExactSearchOptions = { top: 300, kernel, workers: 0 }
    const expected = await searchExact(queries, shared(documents), { ...options, codes: false })
    const seen: number[] = []
    const onProgress = (done: number) => seen.push(done)
    const coded = { ...options, codes: true, onProgress }
    expect(await searchExact(queries, shared(documents), coded)).toEqual(expected)
    expect(seen.at(-1)).toBe(documents.rows)
  })

  it('has room for all candidates of one tile', async () => {
    // The second query's best documents are the first ones, those of the others the last ones.
    const queries = matrix(8, 256, 'zero', 1)
    for (let q = 0; q < 8; q++) queries.data[q * 256] = q === 1 ? -1 : 1
    for (let rows = 1990; rows < 2130; rows += 5) {
      const documents = matrix(rows, 256, 'rising', 1)
      const options = { top: 2, kernel, codes: true, workers: 0 }
      const found = await searchExact(queries, shared(documents), options)
      expect([...found.rows.subarray(0, 4)]).toEqual([rows - 1, rows - 2, 0, 1])
      expect([...found.scores.subarray(0, 4)]).toEqual([rows, rows - 1, -1, -2])
    }
  })

  it.each([
    ['a document that is not finite', 3, NaN],
    ['an infinite document', 3, Infinity],
    ['products beyond float32', 1e10, 3e38],
    ['products of a query without a code beyond float32', 1e30, 1e11],
  ])('reports %s as a search without codes does', async (_, queryValue, value) => {
    const queries = matrix(2, 16, 'positive', 1)
    queries.data.fill(queryValue)
    // A row that is in the sample.
    const documents = matrix(2048, 16, 'noise', 2)
    documents.data[1920 * 16 + 3] = value
    const messages = [false, true].map((codes) =>
      searchExact(queries, shared(documents), { top: 5, kernel, codes, workers: 0 }).then(
        () => 'found',
        (error: Error) => error.message,
      ),
    )
    expect(await messages[0]).toMatch(/document row 1920/)
    expect(await messages[1]).toBe(await messages[0])
  })

  describe('computes codes in the kernel', () => {
    const dimensions = 272
    const kindsOfRows: Kind[] = ['noise', 'signs', 'copies', 'spike', 'zeros', 'short']

    it.each(kindsOfRows)('that equal their definition, %s', (kind) => {
      const documents = matrix(37, dimensions, kind, 11)
      const { codes, facts } = encodeInKernel(kernel, documents)
      for (let row = 0; row < documents.rows; row++) {
        const expected = encodeRow(rowOf(documents, row))
        expect(codes[row]).toEqual(expected.code)
        const [scale, error, length] = facts[row]!
        expect(scale).toBe(expected.scale)
        expect(error).toBeGreaterThanOrEqual(expected.error)
        expect(length).toBeGreaterThanOrEqual(expected.length)
        if (expected.short) continue
        expect(error).toBeLessThanOrEqual(1.002 * expected.error + 1e-4 * expected.length)
        expect(length).toBeLessThanOrEqual(1.1 * expected.length + expected.error)
      }
    })

    it('that bound every score, and leave few scores to compute', () => {
      const documents = matrix(100, dimensions, 'noise', 12)
      const queries = matrix(20, dimensions, 'noise', 13)
      for (const threshold of [-Infinity, 0, 20, 40]) {
        const { scored, found } = scanInKernel(kernel, queries, documents, threshold)
        let above = 0
        for (let q = 0; q < queries.rows; q++) {
          for (let row = 0; row < documents.rows; row++) {
            const isAbove = dot(rowOf(queries, q), rowOf(documents, row)) > threshold
            above += Number(isAbove)
            expect(found[q]!.has(row)).toBe(isAbove)
          }
        }
        expect(scored).toBeGreaterThanOrEqual(above)
        // Scores have a standard deviation of 5.5; the bound is about 4 above the score.
        if (threshold > 0) expect(scored - above).toBeLessThan(0.1 * queries.rows * documents.rows)
      }
    })

    it.each(kindsOfRows)('that bound the scores with two codes of the query, %s', (kind) => {
      const documents = matrix(128, dimensions, kind, 14)
      for (const queryKind of ['noise', 'spike', 'positive'] as const) {
        const query = matrix(1, dimensions, queryKind, 15).data
        const bounds = boundsInKernel(kernel, query, documents)
        const length = Math.sqrt(dot(query, query))
        for (let row = 0; row < documents.rows; row++) {
          const vector = rowOf(documents, row)
          const score = dot(query, vector)
          expect(bounds[row]).toBeGreaterThanOrEqual(score)
          const size = length * Math.sqrt(dot(vector, vector))
          if (kind !== 'short') expect(bounds[row]! - score).toBeLessThanOrEqual(0.1 * size)
        }
      }
    })
  })
})

it('encodes what the first code of a query leaves out', () => {
  const query = matrix(1, 272, 'noise', 3).data
  const codes = [new Int8Array(272), new Int8Array(272)] as const
  const [first, second] = encodeTwice(query, ...codes)
  const left = query.reduce(
    (sum, value, i) =>
      sum + (value - first.scale * codes[0][i]! - second.scale * codes[1][i]!) ** 2,
    0,
  )
  expect(Math.sqrt(left)).toBeLessThanOrEqual(second.error)
  expect(second.error).toBeLessThan(first.error / 20)
})

it('encodes a query so that its sums stay within 16 bits for every document', () => {
  fc.assert(
    fc.property(
      fc.array(fc.float({ noNaN: true, min: -1, max: 1 }), { minLength: 272, maxLength: 272 }),
      fc.constantFrom(1e-10, 1, 1e10),
      (numbers, size) => {
        const query = Float32Array.from(numbers, (value) => value * size)
        const code = new Int8Array(272)
        const { scale, error, length, offset } = encodeQuery(query, code)
        expect(length ** 2).toBeGreaterThanOrEqual(dot(query, query))
        const left = query.map((value, i) => value - scale * code[i]!)
        expect(error).toBeGreaterThanOrEqual(Math.sqrt(dot(left, left)) * (1 - 1e-6))
        expect(offset).toBe(64 * code.reduce((sum, value) => sum + value, 0))
        for (let run = 0; run < 272; run += 256) {
          for (let lane = 0; lane < 8; lane++) {
            const own = code.filter(
              (_, i) => i >= run && i < run + 256 && Math.floor((i % 16) / 2) === lane,
            )
            const positive = own.reduce((sum, value) => sum + Math.max(value, 0), 0)
            const negative = own.reduce((sum, value) => sum - Math.min(value, 0), 0)
            expect(127 * Math.max(positive, negative)).toBeLessThan(2 ** 15)
          }
        }
      },
    ),
  )
})

it('finds the same with codes for any number of workers', async () => {
  const documents = matrix(9000, 256, 'noise', 21)
  const queries = matrix(30, 256, 'noise', 22)
  for (const metric of metrics) {
    const options = { top: 10, metric }
    const plain = { ...options, codes: false, workers: 0 }
    const expected = await searchExact(queries, shared(documents), plain)
    for (const workers of [0, 1, 2, 3]) {
      const coded = { ...options, codes: true, workers }
      expect(await searchExact(queries, shared(documents), coded)).toEqual(expected)
      expect(await searchExact(queries, stored(documents), coded)).toEqual(expected)
    }
  }
})

/** The definition of a document's code, in plain TypeScript. */
function encodeRow(row: Float32Array) {
  const largest = row.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  const short = dot(row, row) < 1e-30
  const scale = Math.fround(largest / 63)
  const inverse = short ? 0 : Math.fround(63 / largest)
  const code = Array.from(row, (value) => roundToEven(Math.fround(value * inverse)))
  const left = row.map((value, i) => value - scale * code[i]!)
  const coded = Float32Array.from(code, (value) => value * scale)
  const error = Math.sqrt(dot(left, left)) * (1 - 1e-6)
  return { code, scale, error, length: Math.sqrt(dot(coded, coded)) * (1 - 1e-6), short }
}

function roundToEven(value: number): number {
  const rounded = Math.round(value)
  return Math.abs(value % 1) === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded + 0
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0)
}

function kernelFor(name: (typeof compiled)[number], layout: Layout) {
  const memory = new WebAssembly.Memory({ initial: Math.ceil(layout.end / 2 ** 16) })
  const { exports } = new WebAssembly.Instance(recipeFor(name).module!, { env: { memory } })
  return { memory, wasm: exports as unknown as WasmExports }
}

/** The codes and facts that the kernel makes of documents. */
function encodeInKernel(name: (typeof compiled)[number], documents: Matrix) {
  const { rows, dimensions, data } = documents
  const layout = layoutFor(1, dimensions, 1, true)
  const { memory, wasm } = kernelFor(name, layout)
  const floats = new Float32Array(memory.buffer)
  floats.set(data, layout.tile / 4)
  const slack = slackFor(dimensions)
  const { tile, codes, facts } = layout
  expect(wasm.encodeRows(tile, rows, dimensions / 16, slack, 0, codes, facts)).toBe(1)
  const bytes = new Int8Array(memory.buffer)
  const group = (row: number) => Math.floor(row / 4)
  return {
    codes: Array.from({ length: rows }, (_, row) =>
      Array.from({ length: dimensions }, (_, i) => {
        const block = codes + group(row) * 4 * dimensions + Math.floor(i / 16) * 64
        return bytes[block + (row % 4) * 16 + (i % 16)]! - 64
      }),
    ),
    facts: Array.from({ length: rows }, (_, row) =>
      [0, 1, 2].map((fact) => floats[facts / 4 + group(row) * 12 + fact * 4 + (row % 4)]!),
    ),
  }
}

/** What one call of the kernel finds above a threshold, and how many scores it computed. */
function scanInKernel(
  name: (typeof compiled)[number],
  queries: Matrix,
  documents: Matrix,
  threshold: number,
) {
  const { dimensions } = queries
  const top = documents.rows
  const layout = layoutFor(queries.rows, dimensions, top, true)
  const { memory, wasm } = kernelFor(name, layout)
  const floats = new Float32Array(memory.buffer)
  const integers = new Uint32Array(memory.buffer)
  const bytes = new Int8Array(memory.buffer)
  floats.set(queries.data, layout.queryRows / 4)
  floats.set(documents.data, layout.tile / 4)
  floats.fill(threshold, layout.thresholds / 4, layout.thresholds / 4 + queries.rows)
  for (let q = 0; q < queries.rows; q++) {
    const code = new Int8Array(dimensions)
    const { scale, length, error, offset } = encodeQuery(rowOf(queries, q), code)
    floats.set([scale, length, error], layout.queryFacts / 4 + q * 4)
    integers[layout.queryFacts / 4 + q * 4 + 3] = offset
    code.forEach((value, i) => {
      const pair = layout.queryCodes + Math.floor(q / 2) * 2 * dimensions
      bytes[pair + Math.floor(i / 16) * 32 + (q % 2) * 16 + (i % 16)] = value
    })
  }
  const blocks = dimensions / 16
  const { tile, codes, facts, room } = layout
  wasm.encodeRows(tile, documents.rows, blocks, slackFor(dimensions), 0, codes, facts)
  const scored = wasm.scanCodes(
    ...([layout.queryCodes, layout.queryFacts, layout.queryRows, queries.rows, 0] as const),
    ...([codes, facts, tile, documents.rows, 0, 0, blocks, layout.scores, layout.pairs] as const),
    ...([top, room, layout.counts, layout.thresholds] as const),
    ...([layout.bestScores, layout.bestRows] as const),
  )
  const found = Array.from({ length: queries.rows }, (_, q) => {
    const from = layout.bestRows / 4 + q * room
    return new Set(integers.subarray(from, from + integers[layout.counts / 4 + q]!))
  })
  return { scored, found }
}

/** The bounds of the scores of up to 128 documents that the kernel computes from codes alone. */
function boundsInKernel(
  name: (typeof compiled)[number],
  query: Float32Array,
  { rows, dimensions, data }: Matrix,
): Float32Array {
  const layout = layoutFor(4, dimensions, rows, true)
  const { memory, wasm } = kernelFor(name, layout)
  const floats = new Float32Array(memory.buffer)
  const integers = new Uint32Array(memory.buffer)
  const { tile, codes, facts, queryCodes, queryFacts, counts, bestScores, bestRows } = layout
  floats.set(data, tile / 4)
  wasm.encodeRows(tile, rows, dimensions / 16, slackFor(dimensions), 0, codes, facts)
  const pair = [new Int8Array(dimensions), new Int8Array(dimensions)] as const
  const [first, second] = encodeTwice(query, ...pair)
  for (let i = 0; i < dimensions; i++) {
    const to = queryCodes + 2 * (i - (i % 16)) + (i % 16)
    new Int8Array(memory.buffer).set([pair[0][i]!], to)
    new Int8Array(memory.buffer).set([pair[1][i]!], to + 16)
  }
  const own = queryFacts / 4
  floats.set([first.scale, 0, second.scale, 0, first.length, second.error], own)
  integers[own + 1] = first.offset
  integers[own + 3] = second.offset
  floats[counts / 4 + 1] = -Infinity
  const places = [codes, facts, 0, rows, 0, dimensions / 16, layout.scores] as const
  wasm.scanBounds(queryCodes, queryFacts, ...places, rows, bestScores, bestRows, counts)
  expect(integers[counts / 4]).toBe(rows)
  return floats.slice(bestScores / 4, bestScores / 4 + rows)
}
