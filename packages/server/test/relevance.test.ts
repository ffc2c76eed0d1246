import { background, shortlist } from '@kith/core'
import { expect, test } from 'vitest'
import { base64, post, serve, vectors } from './support.ts'

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
  results: { index: number; relevance_score: number }[]
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
