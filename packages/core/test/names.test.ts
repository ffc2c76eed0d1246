import { describe, expect, test } from 'vitest'
import {
  type Candidates,
  KithError,
  type PartialSettings,
  type Query,
  Reranker,
  rerank,
  resolveLabelSettings,
  similarity,
} from '../src/index.ts'
import { nearestName, refuseUnknown } from '../src/settings/names.ts'

const vector = [1, 2]
const vectors = [
  [1, 0],
  [0, 1],
]

describe('suggestions for misspelled names', () => {
  const known = ['contextSize', 'k', 'kExp', 'topN', 'lambda']
  test.each([
    ['contextsize', 'contextSize'],
    ['context_size', 'contextSize'],
    ['context-size', 'contextSize'],
    ['contexSize', 'contextSize'],
    ['top_n', 'topN'],
    ['topn', 'topN'],
    ['TOP_N', 'topN'],
    ['lamda', 'lambda'],
    ['topK', 'topN'],
    ['temperature', undefined],
    ['q', undefined],
    ['', undefined],
  ])('%s', (name, meant) => {
    expect(nearestName(name, { known, synonyms: { topN: ['topK'] } })).toBe(meant)
  })

  test('ignores a name whose value is undefined', () => {
    const parts = { part: 'setting', known }
    expect(() => refuseUnknown({ other: undefined, k: 1 }, parts)).not.toThrow()
    expect(() => refuseUnknown({ other: null }, parts)).toThrow(
      new KithError('BAD_INPUT', `unknown setting "other", known: ${known.join(', ')}`),
    )
  })
})

describe('misspelled names in queries, candidates and settings', () => {
  const call = (query: unknown, candidates: unknown, settings?: unknown) => () =>
    rerank(query as Query, candidates as Candidates, settings as PartialSettings)
  test.each([
    [
      'text for texts',
      call({ vector, text: 'a' }, { vectors, text: ['a', 'b'] }),
      'unknown property of the candidates "text", did you mean texts? Known: vectors, texts, scores, views',
    ],
    [
      'texts for text',
      call({ vector, texts: 'a' }, vectors),
      'unknown property of the query "texts", did you mean text? Known: vector, text, views',
    ],
    ['vectors for vector', call({ vectors: vector }, vectors), '"vectors", did you mean vector?'],
    ['vector for vectors', call(vector, { vector: vectors }), '"vector", did you mean vectors?'],
    [
      'an embedding',
      call({ embedding: vector }, vectors),
      'unknown property of the query "embedding", did you mean vector?',
    ],
    [
      'embeddings',
      call(vector, { embeddings: vectors }),
      'unknown property of the candidates "embeddings", did you mean vectors?',
    ],
    [
      'documents',
      call({ vector, text: 'a' }, { vectors, documents: ['a', 'b'] }),
      '"documents", did you mean texts?',
    ],
    ['an id', call({ vector, id: 7 }, vectors), 'unknown property of the query "id", known:'],
    ['a setting', call(vector, vectors, { contextsize: 3 }), 'did you mean contextSize?'],
    [
      'a weight of a view',
      call(vector, vectors, { views: { vectors: { graph: 1, score: 1, weight: 1 } } }),
      'unknown weight of views.vectors "weight", known: graph, score',
    ],
    [
      'a misspelled weight of a view',
      call(vector, vectors, { views: { vectors: { graph: 1, scores: 1 } } }),
      '"scores", did you mean score?',
    ],
    [
      'a label setting that rerank does not take',
      call(vector, vectors, { boost: 2 }),
      'unknown setting "boost"',
    ],
    [
      'one setting of labels',
      () => resolveLabelSettings({ agregate: 'max' } as object),
      'aggregate?',
    ],
    [
      'one of a Reranker',
      () => new Reranker({ metod: 'fusion' } as object),
      'did you mean method?',
    ],
  ])('%s', (_, run, message) => {
    expect(run).toThrow(KithError)
    expect(run).toThrow(message)
  })
})

test('names an array that is nested one level too deep', () => {
  const deep = [vectors] as unknown as number[][]
  const advice = 'must be an array of numbers, got an array of arrays; pass one of the inner arrays'
  expect(() => rerank(vector, deep)).toThrow(`candidate 0 ${advice}`)
  expect(() => rerank(vector, { vectors: deep })).toThrow(`candidate 0 ${advice}`)
  expect(() => rerank([vector] as never, vectors)).toThrow(`the query ${advice}`)
  expect(() => rerank([Float32Array.of(1, 2)] as never, vectors)).toThrow(`the query ${advice}`)
  expect(() => similarity({ vector: [vector] as never }, vectors, ['query'])).toThrow(
    `the query ${advice}`,
  )
})
