import { createCohere } from '@ai-sdk/cohere'
import { rerank } from '@kith/core'
import { loadEncoder } from '@kith/encoder'
import { CohereRerank } from '@langchain/cohere'
import { CohereClient, CohereClientV2, CohereError } from 'cohere-ai'
import { beforeAll, describe, expect, test } from 'vitest'
import { base64, minilm, post, serve } from './support.ts'

type RerankFields = ConstructorParameters<typeof CohereRerank>[0]

const key = 'a key of the tests'
const server = await serve({ openModel: minilm, keys: ['another', key] })
const authorized = { authorization: `Bearer ${key}` }

const query = 'how do bees find flowers'
const texts = [
  'The stock market fell sharply on Monday.',
  'Bees find flowers by their color and their scent.',
  'A honey bee dances to tell others where flowers are.',
  'Concrete is made of cement, sand and water.',
  'Flowers attract insects with colors, scents and nectar.',
  'The bee hive was painted blue.',
]

/** The ranking by the library, from the encoder's own embeddings. */
let order: number[]
let rows: Float32Array[]

beforeAll(async () => {
  const encoder = await loadEncoder('minilm', { threads: 1 })
  const { data, dimensions } = await encoder.encode([query, ...texts])
  encoder.close()
  rows = Array.from({ length: texts.length + 1 }, (_, i) =>
    data.slice(i * dimensions, (i + 1) * dimensions),
  )
  const similarity = (i: number): number =>
    rows[i + 1]!.reduce((sum, value, j) => sum + value * rows[0]![j]!, 0)
  const found = [...texts.keys()].sort((a, b) => similarity(b) - similarity(a))
  const ranking = rerank(
    { vector: rows[0]!, text: query },
    { vectors: found.map((i) => rows[i + 1]!), texts: found.map((i) => texts[i]!) },
  )
  order = Array.from(ranking.order, (place) => found[place]!)
  expect(order.slice(0, 2).sort()).toEqual([1, 2])
})

describe('public clients get rankings', () => {
  test('for cohere-ai, version 2', async () => {
    const client = new CohereClientV2({ token: key, environment: server.url })
    const answer = await client.rerank({ model: 'kith', query, documents: texts, topN: 4 })
    expect(answer.results.map(({ index }) => index)).toEqual(order.slice(0, 4))
    expect(answer.results[0]!.relevanceScore).toBeGreaterThan(0.5)
    expect(answer.id).toMatch(/^[\da-f-]{36}$/)
    expect(answer.meta?.apiVersion?.version).toBe('2')
  })

  test('for cohere-ai, version 1, with documents as objects and returned', async () => {
    const client = new CohereClient({ token: key, environment: server.url })
    const answer = await client.rerank({
      query,
      documents: texts.map((text) => ({ text })),
      returnDocuments: true,
    })
    expect(answer.results.map(({ index }) => index)).toEqual(order)
    expect(answer.results[0]!.document?.text).toBe(texts[order[0]!])
  })

  test('and errors that cohere-ai reads', async () => {
    const stranger = new CohereClientV2({ token: 'wrong', environment: server.url })
    const refused = stranger.rerank({ model: 'kith', query, documents: texts }, { maxRetries: 0 })
    await expect(refused).rejects.toMatchObject({
      statusCode: 401,
      body: { message: expect.stringContaining('the API key is missing or wrong') },
    })
    const client = new CohereClientV2({ token: key, environment: server.url })
    const empty = client.rerank({ model: 'kith', query, documents: [] }, { maxRetries: 0 })
    await expect(empty).rejects.toBeInstanceOf(CohereError)
    await expect(empty).rejects.toMatchObject({ statusCode: 422 })
  })

  test('for @langchain/cohere', async () => {
    const client = new CohereClient({ token: key, environment: server.url })
    // Its types are those of the version of cohere-ai that it brings.
    const fields = { client, model: 'kith', topN: 3 } as unknown as RerankFields
    const reranker = new CohereRerank(fields)
    const documents = texts.map((pageContent, id) => ({ pageContent, metadata: { id } }))
    const compressed = await reranker.compressDocuments(documents, query)
    expect(compressed.map(({ metadata }) => metadata['id'])).toEqual(order.slice(0, 3))
    expect(compressed[0]!.metadata['relevanceScore']).toBeGreaterThan(0.5)
    expect(await reranker.rerank(texts, query)).toHaveLength(3)
  })

  test('for the AI SDK’s Cohere provider', async () => {
    const provider = createCohere({ baseURL: `${server.url}/v2`, apiKey: key })
    const { ranking } = await provider
      .reranking('kith')
      .doRerank({ query, documents: { type: 'text', values: texts }, topN: 2 })
    expect(ranking.map(({ index }) => index)).toEqual(order.slice(0, 2))
    const wrong = createCohere({ baseURL: `${server.url}/v2`, apiKey: 'wrong' })
    const refused = wrong
      .reranking('kith')
      .doRerank({ query, documents: { type: 'text', values: texts } })
    await expect(refused).rejects.toThrow('the API key is missing or wrong')
  })
})

describe('other protocols', () => {
  const ask = async (path: string, body: object): Promise<unknown> => {
    const response = await post(server, path, body, authorized)
    expect(response.status).toBe(200)
    return response.json()
  }

  test('rerank as text-embeddings-inference does', async () => {
    const plain = (await ask('/rerank', { query, texts })) as { index: number; score: number }[]
    expect(plain.map(({ index }) => index)).toEqual(order)
    for (const { score } of plain) expect(Math.abs(score - 0.5)).toBeLessThan(0.5)
    const raw = await ask('/rerank', { query, texts, raw_scores: true, return_text: true })
    const [first] = raw as { score: number; text: string }[]
    expect(first!.text).toBe(texts[order[0]!])
    expect(0.5 + first!.score / 2 / (1 + first!.score)).toBeCloseTo(plain[0]!.score, 12)
  })

  test('count tokens in the usage as Jina does', async () => {
    const answer = await ask('/v1/rerank', { model: 'kith', query, documents: texts })
    // Words and punctuation, and two special tokens around each text.
    expect(answer).toMatchObject({ object: 'list', usage: { total_tokens: 75 } })
  })

  test('return OpenAI embeddings as numbers and as base64', async () => {
    interface Embeddings {
      data: { embedding: unknown; index: number }[]
      usage: { prompt_tokens: number }
    }
    const numbers = (await ask('/v1/embeddings', { model: 'x', input: texts })) as Embeddings
    numbers.data.forEach(({ embedding, index }) => {
      expect(Float32Array.from(embedding as number[])).toEqual(rows[index + 1])
    })
    expect(numbers.usage.prompt_tokens).toBe(68)
    const packed = { input: texts[2], encoding_format: 'base64', dimensions: 384 }
    const { data } = (await ask('/v1/embeddings', packed)) as Embeddings
    expect(data).toEqual([{ object: 'embedding', index: 0, embedding: base64(rows[3]!) }])
  })

  test('accept texts and embeddings in one request, and the query as a text', async () => {
    const documents = texts.map((text, i) =>
      i % 2 ? { text } : { text, embedding: base64(rows[i + 1]!) },
    )
    const { results } = (await ask('/v2/rerank', { query, documents })) as {
      results: { index: number }[]
    }
    expect(results.map(({ index }) => index)).toEqual(order)
  })

  test.each([
    ['/v1/embeddings', { input: [] }, /^input/],
    ['/v1/embeddings', { input: [1, 2, 3] }, /^input: must be a text/],
    ['/v1/embeddings', { input: Array(20).fill(7) }, /^input must be a text, not numbers/],
    ['/v1/embeddings', { input: 'a', dimensions: 100 }, /dimensions must be 384, .* got 100/],
    ['/v1/embeddings', { input: 'a', encoding_format: 'int8' }, /^encoding_format/],
  ])('%s %j: return the error of OpenAI', async (path, body, message) => {
    const response = await post(server, path, body, authorized)
    expect(response.status).toBe(422)
    expect(await response.json()).toEqual({
      error: {
        message: expect.stringMatching(message),
        type: 'invalid_request_error',
        param: null,
        code: null,
      },
    })
  })

  test('return errors in the format of text-embeddings-inference', async () => {
    const response = await post(server, '/rerank', { query, texts: 'one' }, authorized)
    expect(response.status).toBe(422)
    expect(await response.json()).toEqual({
      error: expect.stringMatching(/^texts: /),
      error_type: 'Validation',
    })
  })
})

test('encode a repeated text only once', async () => {
  const lookups = async (result: string): Promise<number> => {
    const response = await fetch(`${server.url}/metrics`, { headers: authorized })
    const line = new RegExp(`kith_embedding_cache_lookups_total{result="${result}"} (\\d+)`)
    return Number(line.exec(await response.text())?.[1] ?? 0)
  }
  const body = { query, documents: ['a text that is new', 'another', 'another'] }
  const [hits, misses] = [await lookups('hit'), await lookups('miss')]
  const first = await post(server, '/v2/rerank', body, authorized)
  // The query is known, and the same text twice is encoded once.
  expect([await lookups('hit'), await lookups('miss')]).toEqual([hits + 1, misses + 2])
  const again = await post(server, '/v2/rerank', body, authorized)
  expect([await lookups('hit'), await lookups('miss')]).toEqual([hits + 4, misses + 2])
  const results = async (response: Response) => ((await response.json()) as { results: [] }).results
  expect(await results(again)).toEqual(await results(first))
})
