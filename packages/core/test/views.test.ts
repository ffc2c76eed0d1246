import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tries } from '../../../test/thorough.ts'
import { explain, type KithError, prepareText, presets, rerank } from '../src/index.ts'
import { makeContext } from './contexts.ts'
import { rowNeighbors, rowSimilarity } from './row-forms.ts'
import { allKernels, expectClose, random, splitContext } from './support.ts'
import { textCosines, viewsMix } from './text-oracle.ts'

/** A query with candidates, their texts on a few topics. */
function collection(count: number, dimensions: number, seed: number) {
  const next = random(seed)
  const { query, candidates } = splitContext(
    makeContext('clustered', count + 1, dimensions, { seed }),
  )
  const text = () => {
    const topic = Math.floor(next() * 4)
    return Array.from({ length: 3 + Math.floor(next() * 20) }, () =>
      next() < 0.5 ? `topic${topic}-${Math.floor(next() * 8)}` : `word${Math.floor(300 ** next())}`,
    ).join(' ')
  }
  const vectors = Array.from({ length: count }, (_, i) =>
    candidates.data.slice(i * dimensions, (i + 1) * dimensions),
  )
  return { vector: query, text: text(), vectors, texts: vectors.map(text) }
}

function cosines(vectors: readonly Float32Array[]): number[][] {
  const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, j) => sum + x * b[j]!, 0)
  return vectors.map((a, i) =>
    vectors.map((b, j) => {
      const length = Math.sqrt(dot(a, a) * dot(b, b))
      return length > 0 ? dot(a, b) / length : Number(i === j)
    }),
  )
}

/** Two views, two terms: the ranking without a words score and support. */
const first = presets['balanced-1']

describe.each(allKernels)('views on %s', (kernel) => {
  test('ranks by embeddings and words as docs/method.md says', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 2, max: 40 }),
        fc.integer(),
        fc.record({
          k: fc.integer({ min: 1, max: 20 }),
          kExp: fc.integer({ min: 0, max: 6 }),
          lambda: fc.constantFrom(0, 0.7, 1),
        }),
        (count, dimensions, seed, settings) => {
          const { vector, text, vectors, texts } = collection(count, dimensions, seed)
          const expected = viewsMix(
            [
              { s: cosines([vector, ...vectors]), graph: 0.7, score: 0.8 },
              { s: textCosines([text, ...texts]), graph: 0.3, score: 0.2 },
            ],
            settings,
          )
          const all = { ...first, ...settings, kernel, metric: 'cosine', contextSize: 60 } as const
          const { order, scores } = rerank({ vector, text }, { vectors, texts }, all)
          expectClose(
            scores,
            [...order].map((c) => expected[c]!),
            2e-3,
          )
        },
      ),
      tries(12),
    )
  })

  test('ranks by three views with separate weights', () => {
    const { vector, text, vectors, texts } = collection(40, 24, 7)
    const other = collection(40, 9, 8)
    const weights = {
      vectors: { graph: 0.5, score: 0.2 },
      texts: { graph: 0.2, score: 0.5 },
      second: { graph: 0.3, score: 0.3 },
    }
    const expected = viewsMix(
      [
        { s: cosines([vector, ...vectors]), ...weights.vectors },
        { s: textCosines([text, ...texts]), ...weights.texts },
        { s: cosines([other.vector, ...other.vectors]), ...weights.second },
      ],
      { k: 10, kExp: 4, lambda: 0.7 },
    )
    const { order, scores } = rerank(
      { vector, text, views: { second: other.vector } },
      { vectors, texts, views: { second: other.vectors } },
      { ...first, metric: 'cosine', kernel, views: weights },
    )
    expectClose(
      scores,
      [...order].map((c) => expected[c]!),
      1e-4,
    )
  })

  test('ranks by one view as the standard mix does', () => {
    const { vector, text, vectors, texts } = collection(40, 24, 9)
    const views = { vectors: { graph: 1, score: 1 } }
    for (const metric of ['dot', 'cosine'] as const) {
      const plain = rerank(vector, vectors, { ...first, kernel, metric })
      expect(
        rerank({ vector, text }, { vectors, texts }, { ...first, kernel, metric, views }),
      ).toEqual(plain)
    }
    const same = rerank(
      { vector, views: { copy: vector } },
      { vectors, views: { copy: vectors } },
      { kernel, metric: 'cosine' },
    )
    expectClose(same.scores, rerank(vector, vectors, { kernel, metric: 'cosine' }).scores, 1e-4)
  })

  test('ranks by any single view', () => {
    const { vector, text, vectors, texts } = collection(40, 24, 10)
    const options = { k: 10, kExp: 4, lambda: 0.7 }
    const words = rerank(
      { vector, text },
      { vectors, texts },
      {
        ...first,
        kernel,
        views: { texts: { graph: 1, score: 1 } },
      },
    )
    const expected = viewsMix([{ s: textCosines([text, ...texts]), graph: 1, score: 1 }], options)
    expectClose(
      words.scores,
      [...words.order].map((c) => expected[c]!),
      1e-4,
    )
    const other = rerank(
      { vector: vector.slice(0, 3), views: { x: vector } },
      { vectors: vectors.map((v) => v.slice(0, 3)), views: { x: vectors } },
      { kernel, metric: 'cosine', views: { x: { graph: 1, score: 1 } } },
    )
    expect(other.order).toEqual(rerank(vector, vectors, { kernel, metric: 'cosine' }).order)
  })

  test('ignores differences between terms that come from rounding', () => {
    const along = [1, 2, 3, 5, 7, 0.3, 0.7].map((a) => [a, 2 * a, 3 * a])
    const { order } = rerank([1, 2, 3], along, { kernel, metric: 'cosine' })
    expect([...order]).toEqual([0, 1, 2, 3, 4, 5, 6])
    const texts = along.map((_, i) => 'apple '.repeat(i + 1))
    const same = along.map(() => [1, 0])
    const { scores } = rerank(
      { vector: [1, 0], text: 'apple' },
      { vectors: same, texts },
      { ...first, kernel },
    )
    expect([...scores]).toEqual(texts.map(() => 0))
  })

  test('scales the rows of several views', () => {
    const { vector, text, vectors, texts } = collection(30, 16, 12)
    const context = { vectors: [vector, ...vectors], texts: [text, ...texts] }
    const plain = rowNeighbors(context, { kernel, trust: 0.5 })
    const scaled = rowNeighbors(context, { kernel, trust: 0.5, rowScaling: 'mean' })
    const oracle = rowNeighbors(context, { kernel: 'typescript', trust: 0.5, rowScaling: 'mean' })
    expect(scaled).toEqual(oracle)
    expect(scaled.rank).toEqual(plain.rank)
    const weighed = (rowScaling: 'none' | 'mean') =>
      rowSimilarity(context, [0], { kernel, rowScaling, weight: 'exp', weightParameter: 5 })
    expect(weighed('mean').jaccard).not.toEqual(weighed('none').jaccard)
  })

  test('ranks inner products of any size by their proportions', () => {
    const { vector, text, vectors, texts } = collection(20, 8, 14)
    const expected = rerank({ vector, text }, { vectors, texts }, { kernel })
    for (const factor of [1e-17, 1e19]) {
      const scaled = vectors.map((v) => v.map((x) => x * factor))
      const query = vector.map((x) => x * factor)
      expect(rerank({ vector: query, text }, { vectors: scaled, texts }, { kernel }).order).toEqual(
        expected.order,
      )
    }
  })

  test('uses the inner product for the score and the cosine for the graph', () => {
    const { vector, text, vectors, texts } = collection(30, 16, 11)
    const s = cosines([vector, ...vectors])
    const length = (a: Float32Array) => Math.hypot(...a)
    const dots = [1, ...vectors.map((v, i) => s[0]![i + 1]! * length(v))]
    const words = textCosines([text, ...texts])
    const expected = viewsMix(
      [
        { s, graph: 0.7, score: 0 },
        { s: [dots, ...s.slice(1)], graph: 0, score: 0.8 },
        { s: words, graph: 0.3, score: 0.2 },
      ],
      { k: 10, kExp: 4, lambda: 0.7 },
    )
    const { order, scores } = rerank(
      { vector, text },
      { vectors, texts },
      { ...first, kernel, metric: 'dot' },
    )
    expectClose(
      scores,
      [...order].map((c) => expected[c]!),
      1e-4,
    )
  })

  test('compares with a probe other than the query in a context with texts', () => {
    const { vector, text, vectors, texts } = collection(20, 12, 13)
    const context = { vectors: [vector, ...vectors], texts: [text, ...texts] }
    const { geometric, mixed } = rowSimilarity(context, [3], { ...first, kernel, metric: 'cosine' })
    const z = (values: number[]) => {
      const others = values.filter((_, c) => c !== 0 && c !== 3)
      const mean = others.reduce((a, b) => a + b, 0) / others.length
      const squares = others.reduce((a, b) => a + (b - mean) ** 2, 0)
      return values.map((value) => (value - mean) / Math.sqrt(squares / others.length))
    }
    const near = z(cosines([vector, ...vectors])[3]!)
    const words = z(textCosines([text, ...texts])[3]!)
    expectClose(
      geometric[0]!,
      near.map((value, c) => 0.8 * value + 0.2 * words[c]!),
      1e-4,
    )
    expect(mixed[0]!.every(Number.isFinite)).toBe(true)
  })

  test('ranks prepared texts as raw texts', () => {
    const { vector, text, vectors, texts } = collection(30, 16, 15)
    const raw = rerank({ vector, text }, { vectors, texts }, { kernel })
    const prepared = { vectors, texts: texts.map((own) => prepareText(own)) }
    expect(rerank({ vector, text: prepareText(text) }, prepared, { kernel })).toEqual(raw)
  })

  test('ranks unusual texts without NaN', () => {
    const { vector, vectors } = collection(6, 8, 17)
    const many = (texts: string[]) => ({ vectors, texts })
    for (const texts of [
      Array(6).fill(''),
      Array(6).fill('one shared text'),
      ['東京の天気', '大阪の天気', '京都の寺', '天気', '寺', '東'],
      ['สภาพอากาศกรุงเทพ', 'อากาศดี', 'กรุงเทพ', 'วัด', 'ทะเล', 'ภูเขา'],
      ['👍', '👍👍', '🎉 party', '', '🇩🇪', '❤️'],
      ['x '.repeat(500_000), 'word '.repeat(200_000), 'a', 'b', 'c', 'x'],
    ]) {
      const { order, scores } = rerank({ vector, text: texts[0]! }, many(texts), { kernel })
      expect([...order].sort()).toEqual([0, 1, 2, 3, 4, 5])
      expect(scores.every(Number.isFinite)).toBe(true)
    }
  })

  test('ranks a candidate higher for shared words, in scripts with and without spaces', () => {
    const same = Float32Array.from([1, 0])
    for (const [text, match, other] of [
      ['boundary layer', 'the Boundary LAYER', 'heat transfer'],
      ['東京の天気', '明日の東京の天気予報', '大阪の食べ物'],
      ['อากาศกรุงเทพ', 'พยากรณ์อากาศกรุงเทพวันนี้', 'ร้านอาหารทะเล'],
      ['погода в Москве', 'ПОГОДА В МОСКВЕ завтра', 'рецепт борща'],
    ] as const) {
      const texts = [other, match, other]
      const { order } = rerank(
        { vector: same, text },
        { vectors: [same, same, same], texts },
        { kernel },
      )
      expect(order[0]).toBe(1)
    }
  })
})

describe('rerank with wrong views', () => {
  const { vector, text, vectors, texts } = collection(5, 4, 19)
  const failures: [string, () => unknown, RegExp][] = [
    [
      'weights that do not sum to 1',
      () => rerank(vector, vectors, { views: { vectors: { graph: 0.7, score: 1 } } }),
      /graph weights of views must sum to 1, got 0.7/,
    ],
    [
      'a weight out of range',
      () =>
        rerank(vector, vectors, {
          views: { vectors: { graph: 2, score: 1 }, x: { graph: -1, score: 0 } },
        }),
      /views.vectors.graph .*got 2/,
    ],
    [
      'a weighted view that is not there',
      () => rerank(vector, vectors, { views: { texts: { graph: 1, score: 1 } } }),
      /view texts has a weight, but the context has no such view; it has vectors/,
    ],
    ['no text of the query', () => rerank({ vector }, { vectors, texts }), /the query has none/],
    [
      'too few texts',
      () => rerank({ vector, text }, { vectors, texts: texts.slice(1) }),
      /texts must have one entry per vector \(5\), got 4/,
    ],
    [
      'a text that is none',
      () =>
        rerank({ vector, text }, { vectors, texts: [...texts.slice(1), 7 as unknown as string] }),
      /candidate 4 /,
    ],
    [
      'the raw mix',
      () => rerank({ vector, text }, { vectors, texts }, { mix: 'raw' }),
      /must be "standard" with several views/,
    ],
    [
      'a further view without the query',
      () => rerank(vector, { vectors, views: { second: vectors } }),
      /have the view second, but the query does not/,
    ],
    [
      'a further view of another number',
      () => rerank({ vector, views: { x: vector } }, { vectors, views: { x: vectors.slice(1) } }),
      /view x .*\b5\b.*\b4\b/,
    ],
    [
      'a prepared text of a number',
      () => prepareText(3 as unknown as string),
      /a text must be a string/,
    ],
  ]
  test.each(failures)('%s', (_, call, message) => {
    expect(call).toThrow(message)
    try {
      call()
    } catch (error) {
      expect((error as KithError).name).toBe('KithError')
    }
  })

  test('explains a view as it explains vectors', () => {
    const { rankAfter, jaccard } = explain({ vector, text }, { vectors, texts }, 0)
    expect(rankAfter).toBeGreaterThan(0)
    expect(jaccard).toBeGreaterThan(0)
  })
})
