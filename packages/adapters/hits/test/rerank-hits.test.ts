import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { presets, rerank, termStatistics } from '@kith/core'
import { expect, test } from 'vitest'
import { elasticsearch, pgvector, qdrant, rerankHits } from '../src/index.ts'
import { sampleHits } from './hits.ts'

const { query, hits, vectors, texts } = sampleHits()
const own = {
  vector: (hit: (typeof hits)[number]) => hit.vector,
  text: (hit: (typeof hits)[number]) => hit.text,
}

test('ranks by words and vectors if the query has a text, and by vectors alone otherwise', () => {
  const both = rerank(query, { vectors, texts })
  const alone = rerank(query.vector, vectors)
  expect([...both.order]).not.toEqual([...alone.order])
  expect([...both.order]).not.toEqual([...vectors.keys()])
  const better = rerankHits(query, hits, own)
  expect(better.map(({ index }) => index)).toEqual([...both.order])
  expect(better.map(({ score }) => score)).toEqual([...both.scores])
  expect(better.map(({ hit }) => hit)).toEqual([...both.order].map((index) => hits[index]))
  expect(rerankHits(query.vector, hits, own).map(({ index }) => index)).toEqual([...alone.order])
})

test('applies topN and settings', () => {
  const best = rerankHits(query, hits, own, { topN: 3, settings: { bm25Weight: 1 } })
  const { order } = rerank(query, { vectors, texts }, { bm25Weight: 1 })
  expect(best.map(({ index }) => index)).toEqual([...order.subarray(0, 3)])
  expect(rerankHits(query, [], own)).toEqual([])
  const idle = { settings: { lambda: 1 } }
  expect(() => rerankHits(query, hits, own, idle)).toThrow(
    expect.objectContaining({ code: 'BAD_SETTING', message: expect.stringContaining('lambda') }),
  )
  expect(() => rerankHits(query.vector, hits, own, idle)).not.toThrow()
  // What kith tune writes names the method too.
  const tuned = {
    ...presets.balanced,
    method: 'fusion',
    feedbackDocs: 3,
    neighborRrfK: 60,
  } as const
  const fused = rerankHits(query, hits, own, { settings: tuned })
  expect(fused.map(({ index }) => index)).toEqual([
    ...rerank(query, { vectors, texts }, tuned).order,
  ])
})

test('applies statistics, and chooses the context from the first 200 hits', () => {
  const many = sampleHits(260)
  const asked = { ...many.query, text: `${many.texts[70]}, or ${many.texts[80]}` }
  const statistics = termStatistics([...many.texts, 'bees', 'honey and bees'])
  const bare = many.hits.map((hit, i) => (i < 200 ? hit : { ...hit, vector: [] }))
  const better = rerankHits(asked, bare, own, { statistics })
  const first = { vectors: many.vectors.slice(0, 200), texts: many.texts.slice(0, 200) }
  const { order, scores } = rerank(asked, first, { statistics })
  expect(better.slice(0, 200).map(({ index }) => index)).toEqual([...order])
  expect(better.slice(0, 200).map(({ score }) => score)).toEqual([...scores])
  expect([...order.subarray(0, 50)].some((index) => index >= 50)).toBe(true)
  expect(better.slice(200).map(({ index }) => index)).toEqual(
    Array.from({ length: 60 }, (_, i) => 200 + i),
  )
  // As a setting they are the same, and an option of that name wins.
  const other = termStatistics(['bees'])
  expect(rerankHits(asked, bare, own, { settings: { statistics } })).toEqual(better)
  expect(rerankHits(asked, bare, own, { statistics, settings: { statistics: other } })).toEqual(
    better,
  )
  expect(() => rerankHits(asked, bare, own, { statistics: new Map() as never })).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT' }),
  )
  expect(() =>
    rerankHits(asked, bare, own, { statistics, settings: { tokenizer: 'none' } }),
  ).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining("'none'") }),
  )
})

test('ranks hits of two lists, and hits without a vector by their words and scores', () => {
  const lists = hits.map((hit, i) =>
    i % 3 === 1 ? { ...hit, vector: undefined, bm25: 9 - i } : { ...hit, bm25: undefined },
  )
  const some = lists.map(({ vector }) => vector)
  const read = {
    vector: (hit: (typeof lists)[number]) => hit.vector,
    text: (hit: (typeof lists)[number]) => hit.text,
  }
  const scored = { ...read, score: (hit: (typeof lists)[number]) => hit.bm25 }
  const scores = lists.map(({ bm25 }) => bm25)
  for (const settings of [{}, { mix: 'standard' }, { method: 'fusion' }] as const) {
    const plain = rerank(query, { vectors: some, texts }, settings)
    const better = rerank(query, { vectors: some, texts, scores }, settings)
    expect([...better.scores]).not.toEqual([...plain.scores])
    for (const [reader, { order, scores }] of [
      [read, plain],
      [scored, better],
    ] as const) {
      const ranked = rerankHits(query, lists, reader, { settings })
      expect(ranked.map(({ index }) => index)).toEqual([...order])
      expect(ranked.map(({ score }) => score)).toEqual([...scores])
    }
  }
  // Other methods, and vectors alone, need them all.
  expect(() => rerankHits(query.vector, lists, read)).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining('hit 1') }),
  )
  expect(() => rerankHits(query, lists, read, { settings: { method: 'rocchio' } })).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining('hit 1') }),
  )
})

test('refuses hits without any vector, unless the query has no vector either', () => {
  const bare = hits.map(({ text }, i) => ({ _score: 20 - i, _source: { text } }))
  const read = elasticsearch({ text: 'text' })
  expect(() => rerankHits(query, bare, read)).toThrow(
    /hit 0 has no dense vector; search with _source: \{ exclude_vectors: false \}/,
  )
  const { text } = query
  const better = rerankHits({ text }, bare, read)
  const scores = bare.map(({ _score }) => _score)
  const { order } = rerank({ text }, { texts, scores })
  expect(better.map(({ index }) => index)).toEqual([...order])
  expect(better.map(({ index }) => index)).not.toEqual([...rerank({ text }, { texts }).order])
})

test('keeps the order of hits beyond the context, which need no vector', () => {
  const bare = hits.map((hit, i) => (i < 6 ? hit : { ...hit, vector: [] }))
  const better = rerankHits(query, bare, own, { settings: { contextSize: 6 } })
  expect(better.slice(6).map(({ index }) => index)).toEqual([6, 7, 8, 9, 10, 11])
  const scores = better.map(({ score }) => score)
  expect(scores).toEqual([...scores].sort((a, b) => b - a))
})

test('treats a missing text as empty, and refuses hits without any text', () => {
  const some = hits.map(({ vector, text }, i) => ({ vector, payload: i === 4 ? {} : { text } }))
  expect(rerankHits(query, some, qdrant({ text: 'text' }))).toHaveLength(12)
  expect(() => rerankHits(query, some, qdrant({ text: 'txt' }))).toThrow(
    'no hit has a text in the field txt; hit 0 has the fields text; correct the name',
  )
  expect(() => rerankHits(query, some, qdrant())).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT' }),
  )
})

test('names the hit without a vector and what to request from the store', () => {
  const points = hits.map(({ vector }, i) => (i === 2 ? { payload: {} } : { vector }))
  expect(() => rerankHits(query.vector, points, qdrant())).toThrow(
    /hit 2 has no dense vector; query Qdrant with with_vector: true/,
  )
  for (const embedding of ['[1,', '{"a":1}', '[]', '["x"]', [[1, 2]], null, 7]) {
    expect(() => rerankHits(query.vector, [{ embedding }], pgvector())).toThrow(
      /hit 0 has no dense vector; select the column embedding/,
    )
  }
  expect(() => rerankHits(query.vector, [{ embedding: '[1,2]' }], pgvector())).toThrow(
    expect.objectContaining({ code: 'BAD_SHAPE', message: expect.stringContaining('candidate 0') }),
  )
  expect(() => rerankHits(query, hits, own, { topN: -1 })).toThrow(
    expect.objectContaining({ code: 'BAD_SETTING' }),
  )
  expect(() => rerankHits(null as never, hits, own)).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT' }),
  )
})

test('imports nothing but @kith/core in the built package', () => {
  const dist = fileURLToPath(new URL('../dist', import.meta.url))
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  const imports = files
    .filter((file) => /\.(js|d\.ts)$/.test(file))
    .flatMap((file) => [
      ...readFileSync(join(dist, file), 'utf8').matchAll(/from ['"]([^.'"][^'"]*)/g),
    ])
    .map(([, name]) => name)
  expect(new Set(imports)).toEqual(new Set(['@kith/core', '@kith/core/internal']))
})

test('compiles with untyped hits, and reads them', () => {
  const response = JSON.parse(JSON.stringify({ points: hits }))
  const better = rerankHits(query.vector, response.points, qdrant(), { topN: 2 })
  expect(better.map(({ hit }) => hit.vector)).toEqual(
    rerankHits(query.vector, hits, own, { topN: 2 }).map(({ hit }) => hit.vector),
  )
})

test.each([
  [{ points: hits }, 'hits must be an array, got a whole response; pass its points'],
  [{ matches: hits }, 'pass its matches'],
  [{ took: 3, hits: { total: 1, hits } }, 'pass its hits.hits'],
  [{ body: { hits: { hits } } }, 'pass its body.hits.hits'],
  [{ rows: () => [hits] }, 'pass its rows()[0]'],
  [{ total: 3 }, 'got an object; pass the list of hits inside it'],
  [Promise.resolve(hits), 'got a promise; await it'],
  [undefined, 'hits must be an array, got undefined'],
  [[hits], 'got an array of arrays; pass the hits of one query'],
])('refuses hits that are not an array of hits (%#)', (given, message) => {
  expect(() => rerankHits(query, given as unknown as typeof hits, own)).toThrow(message)
})

test('refuses a reader function that was not called, and values that are not readers', () => {
  expect(() => rerankHits(query, hits, qdrant as never)).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining('qdrant()') }),
  )
  for (const none of [undefined, {}, 'qdrant']) {
    expect(() => rerankHits(query, hits, none as never)).toThrow(
      expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining('reader') }),
    )
  }
})

test.each(['top_n', 'topn', 'TopN', 'topK'])('suggests topN for the option %s', (name) => {
  expect(() => rerankHits(query, hits, own, { [name]: 3 })).toThrow(
    `unknown option of rerankHits "${name}", did you mean topN? Known: topN, settings`,
  )
})

test('suggests the name of a misspelled reader option', () => {
  expect(() => qdrant({ texts: 'body' } as object)).toThrow(
    'unknown option of qdrant "texts", did you mean text? Known: vector, text',
  )
  expect(() => pgvector({ embedding: 'e' } as object)).toThrow('did you mean vector?')
})

test('applies an adapter to the query vector', () => {
  const turned = vectors[7]!
  const adapter = { apply: () => Float32Array.from(turned) }
  const expected = rerankHits({ ...query, vector: turned }, hits, own).map(({ index }) => index)
  expect(expected).not.toEqual(rerankHits(query, hits, own).map(({ index }) => index))
  const found = rerankHits(query, hits, own, { adapter }).map(({ index }) => index)
  expect(found).toEqual(expected)
  const alone = rerankHits(query.vector, hits, own, { adapter })
  expect(alone).toEqual(rerankHits(turned, hits, own))
  expect(() => rerankHits({ text: 'bees' }, hits, own, { adapter })).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining('adapter') }),
  )
  const path = { adapter: 'adapter' as never }
  expect(() => rerankHits(query, hits, own, path)).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining('adapter') }),
  )
})
