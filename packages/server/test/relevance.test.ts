import { background, shortlist } from '@kith/core'
import { expect, test } from 'vitest'
import { base64, minilm, post, serve, vectors } from './support.ts'

const [query, ...documents] = vectors(61, 48) as [Float32Array, ...Float32Array[]]
const text = 'bees find flowers'
const texts = documents.map((_, i) =>
  i % 3 ? `wasps, number ${i}` : `bees and flowers, number ${i}`,
)
const known = background(documents)
const body = {
  query: { text, embedding: base64(query) },
  documents: documents.map((vector, i) => ({ text: texts[i], embedding: base64(vector) })),
}

interface Answer {
  results: { index: number; relevance_score: number; similarity: number }[]
  meta: { relevance?: string }
}

test('returns the estimated or calibrated relevance as relevance_score, which never rises', async () => {
  const similarity = (i: number): number =>
    documents[i]!.reduce((sum, value, j) => sum + value * query[j]!, 0)
  const sorted = [...documents.keys()].sort((a, b) => similarity(b) - similarity(a))
  const candidates = {
    vectors: sorted.map((i) => documents[i]!),
    texts: sorted.map((i) => texts[i]!),
  }
  for (const calibration of [undefined, { a: 1.2, b: -0.5 }]) {
    const server = await serve({ background: known, calibration })
    const response = await post(server, '/v2/rerank', body)
    const { results, meta } = (await response.json()) as Answer
    expect(meta.relevance).toBe(calibration ? 'calibrated' : 'estimated')
    const list = shortlist({ vector: query, text }, candidates, { background: known, calibration })
    expect(results.map(({ index }) => index)).toEqual(list.hits.map(({ index }) => sorted[index]))
    const scores = results.map((result) => result.relevance_score)
    expect(scores.slice(0, 20)).toEqual(list.hits.slice(0, 20).map(({ relevance }) => relevance))
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    expect(scores.at(-1)).toBeGreaterThan(0)
  }
})

test('returns scores without a relevance if there is no background, text or vector of its length', async () => {
  const plain = await serve()
  const withOne = await serve({ background: known })
  const bare = { ...body, documents: body.documents.map(({ embedding }) => ({ embedding })) }
  const short = {
    query: { text, embedding: [1, 0] },
    documents: [{ text: 'bees', embedding: [1, 0] }],
  }
  const ask = async (server: typeof plain, request: object) => {
    const response = await post(server, '/v2/rerank', request)
    return (await response.json()) as Answer
  }
  expect((await ask(plain, body)).meta.relevance).toBeUndefined()
  expect((await ask(withOne, short)).meta.relevance).toBeUndefined()
  const { results, meta } = await ask(withOne, bare)
  expect(meta.relevance).toBeUndefined()
  expect(results).toEqual((await ask(plain, bare)).results)
})

test('every answer has the similarity of the vectors beside the score', async () => {
  const cosine = (a: Float32Array, b: Float32Array): number =>
    a.reduce((sum, value, j) => sum + value * b[j]!, 0) / Math.hypot(...a) / Math.hypot(...b)
  const many = vectors(260, 48)
  const request = {
    query: { text, embedding: base64(query) },
    documents: many.map((vector, i) => ({ text: `bees, number ${i}`, embedding: base64(vector) })),
  }
  for (const options of [{}, { background: known }]) {
    const server = await serve({ ...options, settings: { metric: 'cosine' } })
    for (const path of ['/v1/rerank', '/v2/rerank', '/rerank']) {
      const response = await post(server, path, request)
      const { results } = (await response.json()) as Answer
      expect(results).toHaveLength(260)
      for (const { index, similarity } of results) {
        expect(similarity).toBeCloseTo(cosine(query, many[index]!), 5)
      }
    }
    const voyage = await post(server, '/v1/rerank', { ...request, top_k: 3 })
    const { data } = (await voyage.json()) as { data: Answer['results'] }
    expect(data.every(({ similarity }) => Math.abs(similarity) <= 1)).toBe(true)
  }
  const byProduct = await serve({ settings: { metric: 'dot' } })
  const response = await post(byProduct, '/v2/rerank', {
    ...body,
    query: { embedding: [...query].map((value) => 2 * value) },
  })
  const { results } = (await response.json()) as Answer
  const [{ index, similarity }] = results as [Answer['results'][number]]
  const product = documents[index]!.reduce((sum, value, j) => sum + 2 * value * query[j]!, 0)
  expect(similarity).toBeCloseTo(product, 4)
})

test('a background that does not fit the vectors is left out, with one warning', async () => {
  const warnings: string[] = []
  const listen = (warning: Error) => warnings.push(warning.message)
  process.on('warning', listen)
  const server = await serve({ background: known })
  for (let i = 0; i < 2; i++) {
    await post(server, '/v2/rerank', {
      query: { text, embedding: [1, 0, 0] },
      documents: [{ text: 'bees', embedding: [1, 0, 1] }],
    })
  }
  const other = background(vectors(20, 384), { model: 'bge-small' })
  await serve({ background: other, openModel: minilm })
  await serve({ background: { ...other, model: 'minilm' }, openModel: minilm })
  await new Promise(setImmediate)
  process.off('warning', listen)
  expect(warnings).toEqual([
    'the background has vectors of 48 dimensions, but a request has 3: relevance is not estimated; send embeddings of its model',
    'the background has vectors of the model bge-small, but the server has vectors of minilm: relevance is not estimated; make it from these documents with kith background',
  ])
})
