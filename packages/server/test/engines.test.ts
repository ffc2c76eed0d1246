import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeEmbeddings } from '@kith/ir'
import { openStore } from '@kith/stores'
import { openSearchStore } from '@kith/stores/internal'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { emptyDatabase, postgres } from '../../../test/postgres.ts'
import type { RunningServer } from '../src/server.ts'
import { post, serve, wordsModel } from './support.ts'

const query = 'how do bees find flowers'
const texts = [
  'The stock market fell sharply on Monday.',
  'Bees find flowers by their color and their scent.',
  'A honey bee dances to tell "others" where flowers are.',
  'Concrete is made of cement, sand and water.',
]
const unknown = 'Flowers that no store has.'
const folder = temporaryFolder()
const database = emptyDatabase()

/** A model that keeps the texts that it was asked to encode. */
function countingModel() {
  const encoded: string[] = []
  const model = wordsModel()
  return {
    encoded,
    openModel: async () => ({
      ...model,
      embed: async (asked: readonly string[], role: 'query' | 'document') => {
        encoded.push(...asked)
        return model.embed(asked, role)
      },
    }),
  }
}

const vectors = (await wordsModel().embed(texts, 'document')).map(({ vector }) => vector)

async function load(address: string) {
  const store = await openStore(address, { create: true })
  await store.add(texts.map((text, i) => ({ id: `d${i}`, vector: vectors[i]!, text })))
  return store
}

/**
 * Bodies as engines send them, by the sources of their clients:
 * - Elasticsearch 9, `custom` inference service: the template that its CustomServiceCohereRerank
 *   integration test fills in (x-pack/plugin/inference);
 * - OpenSearch 2.12 and later, `rerank` processor: the connector of the "Cohere Rerank" tutorial,
 *   filled in by `connector.pre_process.cohere.rerank`, with a `top_n` of all documents;
 * - Milvus 2.6, vLLM ranker: VLLMRerank of internal/util/function/models/vllm, which posts to
 *   `/rerank` with the function's parameters besides.
 */
const engines = [
  {
    name: 'Elasticsearch',
    path: '/v2/rerank',
    body: (documents: string[]) =>
      `{"documents": ${JSON.stringify(documents)}, "query": ${JSON.stringify(query)}, "model": "kith"}`,
  },
  {
    name: 'OpenSearch',
    path: '/v1/rerank',
    body: (documents: string[]) =>
      `{ "documents": ${JSON.stringify(documents)}, "query": "${query}", "model": "kith", "top_n": ${documents.length} }`,
  },
  {
    name: 'Milvus',
    path: '/rerank',
    body: (documents: string[]) =>
      JSON.stringify({ documents, query, truncate_prompt_tokens: 256 }),
  },
]

interface Answer {
  results: { index: number; relevance_score: number }[]
  meta: { embeddings: object; tokens: { input_tokens: number } }
}

async function ask(server: RunningServer, path: string, body: string): Promise<Answer> {
  const response = await post(server, path, body)
  expect(response.status).toBe(200)
  return (await response.json()) as Answer
}

test.each(engines)(
  '$name: does not encode documents of the store',
  async ({ name, path, body }) => {
    const { encoded, openModel } = countingModel()
    const server = await serve({ openModel, store: await load(join(folder, name)) })
    const found = await ask(server, path, body(texts))
    expect(encoded).toEqual([query])
    expect(found.meta.embeddings).toEqual({ given: 0, found: 4, encoded: 0 })
    const mixed = await ask(server, path, body([...texts, unknown]))
    expect(encoded).toEqual([query, unknown])
    expect(mixed.meta.embeddings).toEqual({ given: 0, found: 4, encoded: 1 })
    // Engines take every document's score by its index.
    expect(mixed.results.map(({ index }) => index).sort()).toEqual([0, 1, 2, 3, 4])
    const plain = await serve({ openModel: countingModel().openModel })
    expect((await ask(plain, path, body(texts))).results.map(({ index }) => index)).toEqual(
      found.results.map(({ index }) => index),
    )
  },
)

const { path, body } = engines[0]!

test.runIf(postgres)(
  'finds documents in PostgreSQL, with workers that ask the first process',
  async () => {
    const server = await serve({ ...countingModel(), store: await load(database.url), workers: 2 })
    const { meta } = await ask(server, path, body([...texts, unknown]))
    expect(meta.embeddings).toEqual({ given: 0, found: 4, encoded: 1 })
  },
)

test('finds documents in an embeddings file with its corpus', async () => {
  const ids = texts.map((_, i) => `d${i}`)
  const file = join(folder, 'docs.npy')
  await writeEmbeddings(file, { dimensions: 32, ids, type: 'f32' }, vectors)
  const corpus = join(folder, 'corpus.jsonl')
  const lines = texts.map((text, i) => {
    // The title and the text are what the encoder saw.
    const [title, ...rest] = text.split(' ')
    return JSON.stringify({ _id: ids[i], title, text: rest.join(' ') })
  })
  writeFileSync(corpus, lines.join('\n'))
  const store = await openSearchStore(file, { corpus })
  const server = await serve({ ...countingModel(), store })
  const { meta } = await ask(server, path, body([...texts, unknown]))
  expect(meta.embeddings).toEqual({ given: 0, found: 4, encoded: 1 })
})

test('ignores vectors whose length differs from the model’s', async () => {
  const store = await openStore(join(folder, 'other'), { create: true })
  await store.add([{ id: 'a', vector: Float32Array.of(1, 2), text: texts[0]! }])
  const server = await serve({ ...countingModel(), store })
  const { meta } = await ask(server, path, body(texts))
  expect(meta.embeddings).toEqual({ given: 0, found: 0, encoded: 4 })
})

test('ranks texts of the store for a query with an embedding if there is no model', async () => {
  const server = await serve({ store: await load(join(folder, 'no-model')) })
  const [asked] = await wordsModel().embed([query], 'query')
  const given = { query: { text: query, embedding: [...asked!.vector] }, documents: texts }
  const answer = await ask(server, path, JSON.stringify(given))
  expect(answer.results[0]!.index).toBe(1)
  const refused = await post(server, path, { ...given, documents: [unknown] })
  expect(refused.status).toBe(422)
})
