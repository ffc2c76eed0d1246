import { rerank } from '@kith/core'
import { resolveSettings } from '@kith/core/internal'
import { describe, expect, test } from 'vitest'
import { base64, post, serve, vectors } from './support.ts'

const server = await serve()
const [query, ...documents] = vectors(61, 48) as [Float32Array, ...Float32Array[]]

interface Answer {
  results: { index: number; relevance_score: number; document?: { title?: string; text: string } }[]
}

const ask = async (body: object, path = '/v2/rerank'): Promise<Answer> => {
  const response = await post(server, path, body)
  expect(response.status).toBe(200)
  return (await response.json()) as Answer
}

/** What the library says, for documents in the order in which a search would find them. */
function expected(): number[] {
  const similarity = (i: number): number =>
    documents[i]!.reduce((sum, value, j) => sum + value * query[j]!, 0)
  const found = [...documents.keys()].sort((a, b) => similarity(b) - similarity(a))
  const { order } = rerank(
    query,
    found.map((i) => documents[i]!),
  )
  return Array.from(order, (place) => found[place]!)
}

describe('rerank with embeddings', () => {
  test('ranks arrays and base64 as the library does, with falling scores from 0 to 1', async () => {
    for (const embed of [base64, (vector: Float32Array) => Array.from(vector)]) {
      const { results } = await ask({
        query: { embedding: embed(query) },
        documents: documents.map((vector) => ({ embedding: embed(vector) })),
      })
      expect(results.map(({ index }) => index)).toEqual(expected())
      const scores = results.map((result) => result.relevance_score)
      expect(scores).toEqual(scores.toSorted((a, b) => b - a))
      expect(Math.min(...scores)).toBeGreaterThan(0)
      expect(Math.max(...scores)).toBeLessThan(1)
    }
  })

  test('ranks the same in any order of the documents', async () => {
    const shuffled = [...documents.keys()].sort((a, b) => ((a * 7919) % 61) - ((b * 7919) % 61))
    const { results } = await ask({
      query: { embedding: base64(query) },
      documents: shuffled.map((i) => ({ embedding: base64(documents[i]!) })),
    })
    expect(results.map(({ index }) => shuffled[index])).toEqual(expected())
  })

  test('uses texts and embeddings together only if all documents have texts', async () => {
    const chosen = expected()[20]!
    const texts = documents.map((_, i) => (i === chosen ? 'the very words asked for' : `text ${i}`))
    const both = (without?: number) => ({
      query: { text: 'the very words asked for', embedding: base64(query) },
      documents: documents.map((vector, i) =>
        i === without
          ? { embedding: base64(vector) }
          : { text: texts[i], embedding: base64(vector) },
      ),
    })
    const place = ({ results }: Answer): number =>
      results.findIndex(({ index }) => index === chosen)
    const withWords = await ask(both())
    expect(place(withWords)).toBeLessThan(20)
    const { results } = await ask(both(chosen))
    expect(results.map(({ index }) => index)).toEqual(expected())
  })

  test('weights titles more than texts, unless rank_fields leaves them out', async () => {
    const chosen = expected()[20]!
    const titles = documents.map((_, i) => (i === chosen ? 'the very words' : `title ${i}`))
    const body = {
      query: { text: 'the very words asked for', embedding: base64(query) },
      documents: documents.map((vector, i) => {
        return { title: titles[i], text: `text ${i}`, embedding: base64(vector) }
      }),
    }
    const found = expected()
    const similarity = (i: number): number =>
      documents[i]!.reduce((sum, value, j) => sum + value * query[j]!, 0)
    const sorted = found.toSorted((a, b) => similarity(b) - similarity(a))
    const ranked = rerank(
      { vector: query, text: body.query.text },
      {
        vectors: sorted.map((i) => documents[i]!),
        texts: sorted.map((i) => ({ title: titles[i], text: `text ${i}` })),
      },
    )
    const { results } = await ask({ ...body, return_documents: true })
    expect(results.map(({ index }) => index)).toEqual(Array.from(ranked.order, (i) => sorted[i]))
    expect(results.find(({ index }) => index === chosen)?.document).toEqual({
      title: 'the very words',
      text: `text ${chosen}`,
    })
    const plain = await ask({
      ...body,
      documents: body.documents.map(({ title: _, ...document }) => document),
    })
    const { results: some } = await ask({ ...body, rank_fields: ['text'] })
    expect(some).toEqual(plain.results)
    expect(some).not.toEqual(results)
    const places = (answer: Answer) => answer.results.findIndex(({ index }) => index === chosen)
    const titled = await ask({
      ...body,
      documents: body.documents.map(({ text: _, ...document }) => document),
    })
    expect(places(titled)).toBe(0)
  })

  test('applies top_n and return_documents', async () => {
    const body = {
      query: { text: 'bees', embedding: [1, 0] },
      documents: [
        { text: 'wasps', embedding: [0, 1] },
        { text: 'bees', embedding: [1, 0] },
      ],
      return_documents: true,
    }
    expect((await ask({ ...body, top_n: 1 }, '/v1/rerank')).results).toEqual([
      { index: 1, relevance_score: expect.any(Number), similarity: 1, document: { text: 'bees' } },
    ])
    expect((await ask({ ...body, top_n: 99 })).results).toHaveLength(2)
    const [first] = (await ask({ ...body, return_documents: null })).results
    expect(first).not.toHaveProperty('document')
  })

  test('returns finite scores for vectors of any length, zero vectors and single documents', async () => {
    const odd = [
      [0, 0],
      [1e17, 0],
      [1e-30, 1e-30],
      [-5, 3],
    ].map((embedding) => ({ embedding }))
    for (const some of [odd, odd.slice(0, 1), [odd[0], odd[0]]]) {
      const { results } = await ask({ query: { embedding: [1, 0] }, documents: some })
      expect(results).toHaveLength(some.length)
      for (const { relevance_score } of results) expect(relevance_score).toBeGreaterThanOrEqual(0)
    }
  })

  test('applies the presets of the paper and the cosine', async () => {
    const raw = await serve({ settings: { ...resolveSettings({ mix: 'raw' }), metric: 'cosine' } })
    const response = await post(raw, '/v1/rerank', {
      query: { text: 'a', embedding: [1, 0] },
      documents: [
        { text: 'b', embedding: [90, 90] },
        { text: 'a', embedding: [1, 0.1] },
      ],
    })
    const { results } = (await response.json()) as Answer
    expect(results.map(({ index }) => index)).toEqual([1, 0])
  })
})

describe('a wrong request is answered with the position of the mistake', () => {
  const good = { query: { embedding: [1, 0] }, documents: [{ embedding: [1, 0] }] }
  test.each<[object, RegExp]>([
    [{ ...good, query: undefined }, /^query: /],
    [{ ...good, documents: undefined }, /^documents: /],
    [{ ...good, documents: [] }, /^documents: /],
    [{ ...good, documents: [{}] }, /^documents\[0\] /],
    [{ ...good, documents: ['a', 5] }, /^documents\[1\]: /],
    [{ ...good, documents: ['a'] }, /this server has no model; send embeddings/],
    [{ ...good, query: 'a' }, /this server has no model; send embeddings/],
    [{ ...good, documents: [{ embedding: [1, 0, 0] }] }, /document 0 .*\b3\b.*\b2\b/],
    [{ ...good, documents: [{ embedding: [] }] }, /documents\[0\].embedding must not be empty/],
    [{ ...good, documents: [{ embedding: [1, null] }] }, /^documents\[0\]\.embedding /],
    [{ ...good, documents: [{ embedding: ['1', '2'] }] }, /^documents\[0\]\.embedding /],
    [{ ...good, documents: [{ embedding: { 0: 1 } }] }, /^documents\[0\]\.embedding /],
    [{ ...good, documents: [{ embedding: 'AAAA' }] }, /^documents\[0\]\.embedding .*base64/],
    [{ ...good, documents: [{ embedding: '%%%%%%%%' }] }, /^documents\[0\]\.embedding .*base64/],
    [
      { ...good, documents: [{ embedding: base64([1, NaN]) }] },
      /documents\[0\].embedding must contain only finite numbers, got NaN in column 1/,
    ],
    [{ ...good, documents: [{ embedding: [1e39, 0] }] }, /got Infinity in column 0/],
    [{ ...good, documents: [{ embedding: [1e38, 0] }] }, /^documents\[0\]\.embedding .*float32/],
    [{ ...good, query: Array(20).fill(1) }, /^query must be a text, not numbers/],
    [{ ...good, top_n: 0 }, /^top_n: /],
    [{ ...good, top_n: 1.5 }, /^top_n: /],
    [{ ...good, return_documents: 'yes' }, /^return_documents: /],
    [{ ...good, rank_fields: ['author'] }, /^rank_fields/],
    [[], /^the body: /],
  ])('%j', async (body, message) => {
    const response = await post(server, '/v2/rerank', body)
    expect(response.status).toBe(422)
    const answer = (await response.json()) as { message: string; detail: string }
    expect(answer.message).toMatch(message)
    expect(answer.detail).toBe(answer.message)
  })
})
