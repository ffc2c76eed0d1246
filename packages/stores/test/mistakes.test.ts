import { KithError, type Matrix } from '@kith/core'
import { describe, expect, it } from 'vitest'
import { type DocumentSource, type ExactSearchOptions, searchExact } from '../src/index.ts'
import { kernels, shared, stored, wholeNumbers } from './support.ts'

const queries = wholeNumbers(3, 5, 1, 9)
const documents = wholeNumbers(100, 5, 2, 9)

/** The code and message that a search ends in. */
async function mistake(
  queries: Matrix,
  documents: DocumentSource,
  options: Partial<ExactSearchOptions> = {},
): Promise<string> {
  const error = await searchExact(queries, documents, { top: 3, ...options }).catch((e) => e)
  expect(error).toBeInstanceOf(KithError)
  return `${error.code} ${error.message}`
}

describe.each(kernels)('searchExact with numbers that are not finite, %s', (kernel) => {
  it.each([NaN, Infinity, -Infinity])('names a document with %s', async (value) => {
    const data = documents.data.slice()
    data[77 * 5 + 4] = value
    const expected = `BAD_VECTOR document row 77, column 4 is ${value}; vectors must be finite`
    for (const metric of ['dot', 'cosine'] as const) {
      for (const workers of [0, 2]) {
        const options = { metric, workers, kernel }
        expect(await mistake(queries, stored({ ...documents, data }), options)).toBe(expected)
      }
    }
  })

  it('names a half-precision document with infinity', async () => {
    const source = { rows: 2, dimensions: 1, memory: Uint16Array.of(0x3c00, 0xfc00) }
    const query = { data: Float32Array.of(0), rows: 1, dimensions: 1 }
    expect(await mistake(query, source, { kernel })).toMatch('row 1, column 0 is -Infinity')
  })

  it('names a product beyond float32', async () => {
    const source = { rows: 2, dimensions: 1, memory: Float32Array.of(1, -1e30) }
    const query = { data: Float32Array.of(1, 1e30), rows: 2, dimensions: 1 }
    expect(await mistake(query, source, { kernel })).toBe(
      'BAD_VECTOR query row 1 and document row 1: the inner product is too large for float32',
    )
  })
})

it('names a query that is not finite', async () => {
  const data = queries.data.slice()
  data[7] = NaN
  expect(await mistake({ ...queries, data }, shared(documents))).toBe(
    'BAD_VECTOR query row 1, column 2 is NaN; vectors must be finite',
  )
})

it('searchExact refuses wrong shapes and settings, with their numbers', async () => {
  const source = shared(documents)
  expect(await mistake(wholeNumbers(3, 4, 1, 9), source)).toMatch(/BAD_SHAPE .*\b4\b.*\b5\b/)
  expect(await mistake({ ...queries, rows: 4 }, source)).toMatch(/BAD_SHAPE .*\b20\b.*\b15\b/)
  expect(await mistake(queries, { ...source, rows: 101 } as DocumentSource)).toMatch(
    /BAD_SHAPE .*\b505\b.*\b500\b/,
  )
  const short = { rows: 100, dimensions: 5, read: () => new Float32Array(3) }
  expect(await mistake(queries, short)).toMatch(/BAD_SHAPE .*\b500\b.*\b3\b/)
  expect(await mistake(queries, source, { top: -1 })).toMatch(/BAD_SETTING .*top/)
  expect(await mistake(queries, source, { workers: 1.5 })).toMatch(/BAD_SETTING .*workers.* 1\.5/)
  expect(await mistake(queries, source, { metric: 'l2' as 'dot' })).toMatch(/BAD_SETTING .*"l2"/)
  expect(await mistake(queries, { ...documents, rows: 1.5 } as unknown as DocumentSource)).toMatch(
    /BAD_SHAPE .*rows must be .*, got 1.5/,
  )
  expect(await mistake(queries, { rows: 1, dimensions: 1 } as DocumentSource)).toMatch(
    /BAD_INPUT .*memory/,
  )
})

describe('searchExact stops on a signal', () => {
  it.each([0, 2])('with %i workers', async (workers) => {
    const dimensions = 512
    const endless: DocumentSource = { rows: 2 ** 32 - 1, dimensions, read: (_, __, into) => into }
    const signal = AbortSignal.timeout(200)
    const query = { data: new Float32Array(dimensions), rows: 1, dimensions }
    const search = searchExact(query, endless, { top: 3, workers, signal })
    await expect(search).rejects.toHaveProperty('code', 'ABORTED')
    await expect(search).rejects.toHaveProperty('cause.name', 'TimeoutError')
  })

  it('before it starts', async () => {
    const signal = AbortSignal.abort(new Error('enough'))
    const search = searchExact(queries, shared(documents), { top: 3, signal })
    await expect(search).rejects.toThrow('enough')
  })
})

it('throws the error of a reader', async () => {
  const source: DocumentSource = {
    ...{ rows: 100, dimensions: 5 },
    async read() {
      throw new Error('disk on fire')
    },
  }
  for (const workers of [0, 1]) {
    await expect(searchExact(queries, source, { top: 3, workers })).rejects.toThrow('disk on fire')
  }
})
