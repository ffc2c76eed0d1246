/**
 * Requests in the form in which programs send them, and what each of them reads of the answer; the
 * files named are those of the programs' own sources in which this stands. docs/recipes.md says
 * what to set in each.
 */
import { describe, expect, test } from 'vitest'
import { post, serve, wordsModel } from './support.ts'

const key = 'a key of the tests'
const server = await serve({ openModel: async () => wordsModel(), keys: [key] })
const bearer = { authorization: `Bearer ${key}` }

const query = 'how do bees find flowers'
const documents = [
  'The price of honey',
  'Bees find flowers by their scent',
  'Concrete is made of sand and water',
]
const best = 1

interface Results {
  results: { index: number; relevance_score: number; document?: { text: string } }[]
  usage: { total_tokens: number }
}

async function ask<Answer>(
  path: string,
  body: object,
  headers: Record<string, string> = bearer,
): Promise<Answer> {
  const response = await post(server, path, body, headers)
  expect(response.status).toBe(200)
  return (await response.json()) as Answer
}

async function get(path: string): Promise<unknown> {
  return (await fetch(server.url + path, { headers: bearer })).json()
}

/** Scores in the order of the documents, as programs make them that put the results back in order. */
function scoresOf(results: Results['results']): number[] {
  const scores = results.toSorted((a, b) => a.index - b.index).map((one) => one.relevance_score)
  expect(scores).toHaveLength(documents.length)
  for (const score of scores) expect(Math.abs(score - 0.5)).toBeLessThan(0.5)
  return scores
}

function expectBest(scores: number[]): void {
  expect(scores.indexOf(Math.max(...scores))).toBe(best)
}

describe('Open WebUI', () => {
  test('gets scores as an external reranker: backend/open_webui/retrieval/models/external.py', async () => {
    const body = { model: 'kith', query, documents, top_n: documents.length }
    expectBest(scoresOf((await ask<Results>('/v1/rerank', body)).results))
  })

  test('gets OpenAI embeddings: backend/open_webui/retrieval/utils.py', async () => {
    const body = { input: documents, model: 'kith' }
    const { data } = await ask<{ data: { embedding: number[] }[] }>('/v1/embeddings', body)
    expect(data.map(({ embedding }) => embedding.length)).toEqual([32, 32, 32])
  })
})

describe('Dify', () => {
  test.each(['/v1/rerank', '/rerank'])(
    'gets scores as OpenAI-API-compatible, %s: models/openai_api_compatible/models/rerank/rerank.py of its plugins',
    async (path) => {
      const asked = { model: 'kith', query, documents, top_n: 2, return_documents: true }
      const body = { ...asked, score_threshold: 0.5 }
      const { results, usage } = await ask<Results>(path, body)
      expect(results[0]).toMatchObject({ index: best, document: { text: documents[best] } })
      expect(results).toHaveLength(2)
      expect(usage.total_tokens).toBeGreaterThan(10)
    },
  )

  test('gets scores as Text Embedding Inference: huggingface_tei/tei_helper.py', async () => {
    const info = (await get('/info')) as { model_type: object; [name: string]: unknown }
    // It takes the first name for the kind of the model, and asks no other for reranking.
    expect(Object.keys(info.model_type)[0]).toBe('reranker')
    expect(info).toMatchObject({ max_input_length: 256, max_client_batch_size: 1000 })
    const body = { query, texts: documents, return_text: true }
    const [first] = await ask<{ index: number; text: string; score: number }[]>('/rerank', body)
    expect(first).toMatchObject({ index: best, text: documents[best], score: expect.any(Number) })
  })
})

describe('RAGFlow, rag/llm/rerank_model.py', () => {
  test('gets scores as OpenAI-API-Compatible and LocalAI', async () => {
    const body = { model: 'kith', query, documents, top_n: documents.length }
    expectBest(scoresOf((await ask<Results>('/rerank', body)).results))
  })

  test('gets scores as Xinference, which sends flags as words', async () => {
    const flags = { return_documents: 'true', return_len: 'true' }
    const { results } = await ask<Results>('/v1/rerank', {
      model: 'kith',
      query,
      ...flags,
      documents,
    })
    expectBest(scoresOf(results))
    expect(results[0]!.document!.text).toBe(documents[best])
  })
})

test('Flowise gets scores in its Azure Rerank Retriever: nodes/retrievers/AzureRerankRetriever/AzureRerank.ts', async () => {
  const asked = { model: 'rerank-v3.5', top_n: 2, max_chunks_per_doc: 10, query }
  const body = { ...asked, return_documents: false, documents }
  const { results } = await ask<Results>('/v2/rerank', body, { 'api-key': key })
  expect(results.map(({ index }) => index)).toHaveLength(2)
  expect(results[0]).toMatchObject({ index: best, relevance_score: expect.any(Number) })
})

test('LibreChat gets scores as from Jina’s reranker: src/tools/search/rerankers.ts of @librechat/agents', async () => {
  const asked = { model: 'jina-reranker-v2-base-multilingual', query, top_n: 2, documents }
  const { results } = await ask<Results>('/v1/rerank', { ...asked, return_documents: true })
  expect(results).toHaveLength(2)
  expect(results[0]!.document).toEqual({ text: documents[best] })
})

describe('Continue, core/llm/llms', () => {
  test('gets scores as cohere: Cohere.ts', async () => {
    const { results } = await ask<Results>('/v1/rerank', { model: 'kith', query, documents })
    expectBest(scoresOf(results))
  })

  test('gets scores as huggingface-tei: HuggingFaceTEI.ts', async () => {
    expect(await get('/info')).toMatchObject({ model_id: 'words', max_client_batch_size: 1000 })
    const cut = { truncation_direction: 'Right', truncate: true }
    const body = { query, return_text: false, raw_scores: false, texts: documents, ...cut }
    const answer = await ask<{ index: number; score: number }[]>('/rerank', body)
    expectBest(answer.toSorted((a, b) => a.index - b.index).map(({ score }) => score))
    const rows = await ask<number[][]>('/embed', { inputs: documents })
    // Its own servers make embeddings of length 1, unless told otherwise.
    for (const row of rows) expect(Math.hypot(...row)).toBeCloseTo(1, 6)
    const [raw] = await ask<number[][]>('/embed', { inputs: documents[0]!, normalize: false })
    expect(Math.hypot(...raw!)).toBeCloseTo(2, 6)
  })
})

test('Voyage’s client gets data with documents as texts', async () => {
  const body = { query, documents, model: 'rerank-2.5', top_k: 1, return_documents: true }
  const answer = await ask<{ data: object[] }>('/v1/rerank', { ...body, truncation: true })
  expect(answer).toMatchObject({
    object: 'list',
    data: [{ index: best, relevance_score: expect.any(Number), document: documents[best] }],
    usage: { total_tokens: expect.any(Number) },
  })
  expect(answer.data).toHaveLength(1)
})

test('n8n gets OpenAI embeddings: nodes/embeddings/EmbeddingsOpenAI of its LangChain nodes', async () => {
  // The list from which its users choose a model.
  expect(await get('/v1/models')).toEqual({
    object: 'list',
    data: [{ id: 'words', object: 'model', created: expect.any(Number), owned_by: 'kith' }],
  })
  const body = { model: 'words', input: documents, encoding_format: 'base64' }
  const { data } = await ask<{ data: { embedding: string }[] }>('/v1/embeddings', body)
  expect(data.map(({ embedding }) => Buffer.from(embedding, 'base64').length)).toEqual([
    128, 128, 128,
  ])
})

test.each([[[[9906, 1917]]], [[[9906, 1917, 11, 220, 16, 17, 18, 19, 20]]], [[9906, 1917]]])(
  'LangChain in Python gets an error with the reason for tokens: %j',
  async (input) => {
    const response = await post(server, '/v1/embeddings', { input, model: 'kith' }, bearer)
    expect(response.status).toBe(422)
    expect(await response.text()).toMatch(/token ids are not supported/)
  },
)
