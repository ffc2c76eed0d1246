import { describe, expect, test } from 'vitest'
import {
  explain,
  KithError,
  type KithErrorCode,
  type Matrix,
  neighbors,
  presets,
  Reranker,
  rerank,
  similarity,
  termStatistics,
  type Vector,
} from '../src/index.ts'
import { makeContext } from './contexts.ts'
import { rowSimilarity } from './row-forms.ts'
import { allKernels, expectClose, splitContext } from './support.ts'

describe.each(allKernels)('rerank on %s', (kernel) => {
  test('ranks all candidates, and keeps the old order beyond the context', () => {
    const { query, candidates } = splitContext(makeContext('clustered', 81, 12, { seed: 4 }))
    for (const mix of ['raw', 'standard'] as const) {
      const { order, scores } = rerank(query, candidates, { kernel, mix, contextSize: 30 })
      expect([...order].sort((a, b) => a - b)).toEqual(Array.from({ length: 80 }, (_, i) => i))
      expect([...order.subarray(30)]).toEqual(Array.from({ length: 50 }, (_, i) => 30 + i))
      for (let i = 1; i < 30; i++) expect(scores[i]! <= scores[i - 1]!).toBe(true)
      // Strictly lower, so that sorting a file by score keeps the order.
      for (let i = 30; i < 80; i++) expect(scores[i]! < scores[i - 1]!).toBe(true)
    }
  })

  test('ranks vectors of any array type in the same way', () => {
    const { query, candidates } = splitContext(makeContext('clustered', 21, 7, { seed: 6 }))
    const rows = Array.from({ length: 20 }, (_, i) => candidates.data.slice(i * 7, (i + 1) * 7))
    const expected = rerank(query, candidates, { kernel })
    expect(rerank(query, rows, { kernel })).toEqual(expected)
    expect(
      rerank(
        [...query],
        rows.map((row) => [...row]),
        { kernel },
      ),
    ).toEqual(expected)
    expect(rerank({ vector: query }, { vectors: candidates }, { kernel })).toEqual(expected)
    expect(
      rerank(
        Float64Array.from(query),
        rows.map((row) => Float64Array.from(row)),
        { kernel },
      ),
    ).toEqual(expected)
  })

  test('accepts chosen rows of a matrix as candidates, even repeated rows', () => {
    const { query, candidates } = splitContext(makeContext('clustered', 61, 12, { seed: 9 }))
    const chosen = Uint32Array.from({ length: 40 }, (_, i) => (i * 17) % 60)
    chosen[7] = chosen[3]!
    const matrix = { ...candidates, chosen }
    const rows = Array.from(chosen, (row) => candidates.data.subarray(row * 12, row * 12 + 12))
    for (const contextSize of [10, 60]) {
      const settings = { kernel, contextSize }
      expect(rerank(query, matrix, settings)).toEqual(rerank(query, rows, settings))
    }
    // With texts and statistics the context is chosen again among them.
    const texts = Array.from(chosen, (row) => `word${row % 7} term${row % 5}`)
    const statistics = termStatistics(texts)
    const asked = { vector: query, text: 'word3 term2' }
    const settings = { kernel, statistics, contextSize: 10, preselect: 30 }
    expect(rerank(asked, { vectors: matrix, texts }, settings)).toEqual(
      rerank(asked, { vectors: rows, texts }, settings),
    )
  })

  test.each<[string, Vector, Vector[] | Matrix]>([
    ['no candidates', [1, 2], []],
    ['an empty matrix', [1, 2], { data: new Float32Array(), rows: 0, dimensions: 2 }],
    ['one candidate', [1, 2], [[2, 1]]],
    ['identical vectors', [1, 2], Array(9).fill([1, 2])],
    ['zero candidates', [1, 2], Array(9).fill([0, 0])],
    [
      'a zero query',
      [0, 0],
      [
        [1, 2],
        [2, 1],
        [0, 0],
      ],
    ],
    [
      'opposite vectors',
      [1, 0],
      [
        [-1, 0],
        [-2, 0],
        [-3, 1],
      ],
    ],
    [
      'tiny numbers',
      [1e-30, 0],
      [
        [1e-30, 1e-32],
        [0, 1e-38],
        [1e-45, 0],
      ],
    ],
    ['one dimension', [2], [[1], [-1], [0], [3]]],
  ])('%s', (_, query, candidates) => {
    const count = Array.isArray(candidates) ? candidates.length : candidates.rows
    for (const metric of ['dot', 'cosine'] as const) {
      for (const rowScaling of ['none', 'max', 'mean'] as const) {
        for (const weight of ['linear', 'exp', 'binary'] as const) {
          for (const mix of ['raw', 'standard'] as const) {
            const settings = {
              kernel,
              metric,
              rowScaling,
              weight,
              mix,
              k: 30,
              kExp: 40,
              trust: 0.5,
            }
            const { order, scores } = rerank(query, candidates, settings)
            expect([...order].sort()).toEqual(Array.from({ length: count }, (_, i) => i))
            expect(scores.every(Number.isFinite)).toBe(true)
          }
        }
      }
    }
  })

  test('computes cosines that ignore the length of vectors, however large or small', () => {
    const { query, candidates } = splitContext(makeContext('clustered', 31, 10, { seed: 8 }))
    const expected = rerank(query, candidates, { kernel, metric: 'cosine' })
    const rows = Array.from({ length: 30 }, (_, i) =>
      Float64Array.from(
        candidates.data.slice(i * 10, (i + 1) * 10),
        (x) => x * 10 ** ((i % 60) - 28),
      ),
    )
    const scaled = rerank(query, rows, { kernel, metric: 'cosine' })
    expect(scaled.order).toEqual(expected.order)
    expectClose(scaled.scores, expected.scores, 1e-4)
  })

  test('keeps exponential weights of large inner products finite', () => {
    const { query, candidates } = splitContext(makeContext('clustered', 31, 10, { seed: 10 }))
    const long = candidates.data.map((x) => x * 1000)
    const { scores } = rerank(
      query.map((x) => x * 1000),
      { ...candidates, data: long },
      { kernel, weight: 'exp', weightParameter: 10 },
    )
    expect(scores.every(Number.isFinite)).toBe(true)
  })

  test('keeps the scores beyond the context finite', () => {
    const { scores } = rerank(
      [1e-22, 0],
      [
        [1e-22, 0],
        [-1e17, 0],
        [-1e17, 1],
      ],
      {
        kernel,
        mix: 'raw',
        lambda: 1,
        rowScaling: 'max',
        contextSize: 2,
      },
    )
    expect(scores.every(Number.isFinite)).toBe(true)
  })

  test('leaves a probe other than the query out of its own statistics', () => {
    const context = makeContext('clustered', 12, 6, { seed: 12 })
    const { geometric, jaccard, mixed } = rowSimilarity(context, [4], { kernel, lambda: 0.3 })
    const z = (values: Float32Array) => {
      const others = [...values].filter((_, c) => c !== 0 && c !== 4)
      const mean = others.reduce((a, b) => a + b) / others.length
      const deviation = Math.sqrt(others.reduce((a, b) => a + (b - mean) ** 2, 0) / others.length)
      return [...values].map((value) => (value - mean) / deviation)
    }
    const near = z(geometric[0]!)
    const shared = z(jaccard[0]!)
    expectClose(
      mixed[0]!,
      near.map((value, c) => 0.3 * value + 0.7 * shared[c]!),
      1e-4,
    )
  })
})

describe('explain', () => {
  const { query, candidates } = splitContext(makeContext('clustered', 41, 16, { seed: 14 }))
  const settings = { contextSize: 30, mix: 'raw', lambda: 0.4 } as const

  test('returns the parts of the score, the ranks, and the supporting neighbors of a candidate', () => {
    const { order, scores } = rerank(query, candidates, settings)
    for (let index = 0; index < 30; index++) {
      const why = explain(query, candidates, index, settings)
      expect(why.rankBefore).toBe(index + 1)
      expect(order[why.rankAfter - 1]).toBe(index)
      expect(why.score).toBe(scores[why.rankAfter - 1])
      expect(why.score).toBeCloseTo(0.4 * why.geometric + 0.6 * why.jaccard, 5)
      // Σ min over the shared neighbors, and both vectors sum to 1: s_J follows.
      const overlap = why.shared.reduce(
        (sum, n) => sum + Math.min(n.queryWeight, n.candidateWeight),
        0,
      )
      expect(why.jaccard).toBeCloseTo(overlap / (2 - overlap), 5)
      expect(why.shared.length > 0).toBe(why.jaccard > 0)
    }
  })

  test('takeApart returns the ranking and the parts of all its scores at once', () => {
    const reranker = new Reranker({ contextSize: 30, mix: 'standard' })
    const { ranking, context, parts } = reranker.takeApart(query, candidates)
    expect(ranking).toEqual(reranker.rerank(query, candidates))
    expect(Array.from(context)).toEqual([...Array(30).keys()])
    context.forEach((index, i) => {
      const why = reranker.explain(query, candidates, index)
      expect(parts[i]).toEqual(why.parts)
      expect(why.parts.similarity + why.parts.neighbors).toBeCloseTo(why.score, 5)
    })
    const rocchio = new Reranker({ method: 'rocchio' })
    expect(() => rocchio.takeApart(query, candidates)).toThrow('takeApart')
  })

  test('marks a candidate beyond the context as not considered', () => {
    const why = explain(query, candidates, 35, settings)
    expect(why).toMatchObject({ inContext: false, rankBefore: 36, rankAfter: 36, shared: [] })
  })

  test('returns the same on every kernel', () => {
    const [first, ...others] = allKernels.map((kernel) =>
      explain(query, candidates, 3, { ...settings, kernel }),
    )
    for (const other of others) {
      expect(other.shared.map(({ member }) => member)).toEqual(
        first!.shared.map(({ member }) => member),
      )
      expect(other.jaccard).toBeCloseTo(first!.jaccard, 6)
    }
  })
})

describe('settings', () => {
  test('keeps the presets of the paper', () => {
    expect(presets['msmarco-tas-b']).toMatchObject({
      contextSize: 60,
      k: 21,
      kExp: 3,
      trust: 0,
      lambda: 0.451,
    })
    expect(presets['msmarco-cocondenser']).toMatchObject({
      contextSize: 53,
      k: 21,
      kExp: 5,
      trust: 0.128,
      lambda: 0.469,
    })
    expect(presets['msmarco-coder-cocondenser']).toMatchObject({
      contextSize: 63,
      k: 19,
      kExp: 8,
      trust: 0.5,
      lambda: 0.473,
    })
    for (const name of [
      'msmarco-tas-b',
      'msmarco-cocondenser',
      'msmarco-coder-cocondenser',
    ] as const) {
      expect(presets[name]).toMatchObject({
        mix: 'raw',
        metric: 'dot',
        rowScaling: 'none',
        weight: 'linear',
      })
    }
  })

  test('uses balanced by default, and prefers the settings of a call to the settings of the reranker', () => {
    const { query, candidates } = splitContext(makeContext('clustered', 61, 16, { seed: 16 }))
    const expected = rerank(query, candidates, presets.balanced)
    expect(rerank(query, candidates)).toEqual(expected)
    expect(rerank(query, candidates, { k: undefined })).toEqual(expected)
    const reranker = new Reranker({ k: 3 })
    expect(reranker.rerank(query, candidates)).toEqual(rerank(query, candidates, { k: 3 }))
    expect(reranker.rerank(query, candidates, { k: 10 })).toEqual(expected)
    expect(presets.balanced).toMatchObject({
      contextSize: 50,
      k: 10,
      kExp: 4,
      trust: 0,
      lambda: 0.7,
      mix: 'words',
    })
  })
})

describe('rerank with wrong inputs', () => {
  const good = [
    [1, 2],
    [3, 4],
  ]
  const matrix = (data: number[], rows: number, dimensions: number): Matrix => ({
    data: Float32Array.from(data),
    rows,
    dimensions,
  })
  const cases: [string, () => unknown, KithErrorCode, string][] = [
    [
      'NaN in a candidate',
      () =>
        rerank(
          [1, 2],
          [
            [1, 2],
            [3, NaN],
          ],
        ),
      'BAD_VECTOR',
      'candidate 1 has NaN in column 1; vectors must be finite',
    ],
    [
      'infinity in the query',
      () => rerank([1, Infinity], good),
      'BAD_VECTOR',
      'the query has Infinity in column 1; vectors must be finite',
    ],
    [
      'too large for float32',
      () => rerank([1, 2], [[1e39, 0]]),
      'BAD_VECTOR',
      'candidate 0 has Infinity in column 0; vectors must be finite',
    ],
    [
      'products too large',
      () => rerank([1, 2], [[1e20, 0]], { metric: 'dot' }),
      'BAD_VECTOR',
      "candidate 0 is too large for inner products in float32 (largest number: 100000002004087730000); use metric 'cosine'",
    ],
    [
      'NaN in a context',
      () => neighbors([1, 2], matrix([NaN, 4], 1, 2)),
      'BAD_VECTOR',
      'candidate 0 has NaN in column 0; vectors must be finite',
    ],
    [
      'no number',
      () => rerank([1, 2], [[1, 'x' as unknown as number]]),
      'BAD_VECTOR',
      'candidate 0 has NaN in column 1; vectors must be finite',
    ],
    [
      'unequal lengths',
      () =>
        rerank(
          [1, 2],
          [
            [1, 2],
            [1, 2, 3],
          ],
        ),
      'BAD_SHAPE',
      'candidate 1 has 3 dimensions, but candidate 0 has 2',
    ],
    [
      'a query of another length',
      () => rerank([1, 2, 3], good),
      'BAD_SHAPE',
      'candidate 0 has 2 dimensions, but the query has 3',
    ],
    ['an empty query', () => rerank([], []), 'BAD_SHAPE', 'the query vector must not be empty'],
    [
      'matrix data too short',
      () => rerank([1, 2], matrix([1, 2, 3], 2, 2)),
      'BAD_SHAPE',
      'the matrix of candidates must have rows × dimensions = 2 × 2 numbers, got 3',
    ],
    [
      'a chosen row that there is none of',
      () => rerank([1, 2], { ...matrix([1, 2, 3, 4], 2, 2), chosen: Uint32Array.of(1, 2) }),
      'BAD_SHAPE',
      'row 2 does not exist: the matrix of candidates has 2 rows',
    ],
    [
      'chosen rows of another form',
      () => rerank([1, 2], { ...matrix([1, 2, 3, 4], 2, 2), chosen: [1] as never }),
      'BAD_INPUT',
      'the property chosen of a matrix must be a Uint32Array',
    ],
    [
      'negative rows',
      () => rerank([1, 2], matrix([1, 2], -1, 2)),
      'BAD_SHAPE',
      'the matrix of candidates must have rows × dimensions = -1 × 2 numbers, got 2',
    ],
    [
      'no vector',
      () => rerank([1, 2], [[1, 2], null as unknown as number[]]),
      'BAD_INPUT',
      'candidate 1 must be a Float32Array or an array of numbers',
    ],
    [
      'no candidates at all',
      () => rerank([1, 2], undefined as unknown as number[][]),
      'BAD_INPUT',
      'candidates must be an array of vectors or a matrix { data: Float32Array, rows, dimensions }',
    ],
    [
      'no query',
      () => rerank(undefined as unknown as number[], good),
      'BAD_INPUT',
      'the query must be a Float32Array or an array of numbers',
    ],
    [
      'a probe outside',
      () => similarity([1, 2], good, [2]),
      'BAD_INPUT',
      "probe must be 'query' or a candidate from 0 to 1, got 2",
    ],
    [
      'a probe that is a place before the first',
      () => similarity([1, 2], good, [-1]),
      'BAD_INPUT',
      "probe must be 'query' or a candidate from 0 to 1, got -1",
    ],
    [
      'probes that are no list',
      () => similarity([1, 2], good, 'query' as never),
      'BAD_INPUT',
      "probes must be an array, such as ['query', 0]",
    ],
    [
      'explaining another method',
      () => new Reranker({ method: 'rocchio' }).explain([1, 2], good, 0),
      'BAD_SETTING',
      'explain works only with the method neighbors, got rocchio',
    ],
    [
      'a candidate outside',
      () => explain([1, 2], good, 2),
      'BAD_INPUT',
      'candidate 2 does not exist; there are 2, counted from 0',
    ],
    [
      'k of 0',
      () => rerank([1, 2], good, { k: 0 }),
      'BAD_SETTING',
      'setting k must be a whole number from 1 to 16384, got 0',
    ],
    [
      'k of a half',
      () => rerank([1, 2], good, { k: 1.5 }),
      'BAD_SETTING',
      'setting k must be a whole number from 1 to 16384, got 1.5',
    ],
    [
      'lambda of 2',
      () => rerank([1, 2], good, { lambda: 2 }),
      'BAD_SETTING',
      'setting lambda must be a number from 0 to 1, got 2',
    ],
    [
      'lambda NaN',
      () => rerank([1, 2], good, { lambda: NaN }),
      'BAD_SETTING',
      'setting lambda must be a number from 0 to 1, got NaN',
    ],
    [
      'a weight parameter of 0',
      () => rerank([1, 2], good, { weightParameter: 0 }),
      'BAD_SETTING',
      'setting weightParameter must be a number above 0, at most 100, got 0',
    ],
    [
      'a word for a number',
      () => rerank([1, 2], good, { k: '3' as unknown as number }),
      'BAD_SETTING',
      'setting k must be a whole number from 1 to 16384, got "3"',
    ],
    [
      'an unknown weight',
      () => rerank([1, 2], good, { weight: 'cubic' as 'exp' }),
      'BAD_SETTING',
      'setting weight must be one of linear, exp, binary, got "cubic"',
    ],
    [
      'an unknown setting',
      () => new Reranker().rerank([1], [[1]], { kexp: 3 } as object),
      'BAD_SETTING',
      'unknown setting "kexp", did you mean kExp? Known: contextSize, k, kExp, trust, overlap, lambda, weight, weightParameter, rowScaling, metric, mix, tokenizer, bm25Weight, k1, b, neighborWeight, supportDocs, supportWeight, windowWeight, windowTerms, titleWeight, preselect, statistics, views, kernel, method, feedbackDocs, feedbackWeight, neighborRrfK',
    ],
  ]
  test.each(cases)('%s', (_, call, code, message) => {
    expect(call).toThrow(KithError)
    expect(call).toThrow(expect.objectContaining({ code, message }))
  })
})
