import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type PartialSettings, rerank, termStatistics } from '@kith/core'
import { writeEmbeddings } from '@kith/ir'
import { openStore } from '@kith/stores'
import { openSearchStore, type SearchStore } from '@kith/stores/internal'
import { beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { emptyDatabase, postgres } from '../../../test/postgres.ts'
import type { RunningServer } from '../src/server.ts'
import { base64, post, serve, vectors } from './support.ts'

const [query, ...documents] = vectors(201, 24, 5) as [Float32Array, ...Float32Array[]]
const texts = documents.map((_, i) => `document number ${i} about ${i % 7 ? 'wasps' : 'bees'}`)
const folder = temporaryFolder()
let server: RunningServer

interface Answer {
  results: { id: string; relevance_score: number; document?: { text: string } }[]
}

const ids = documents.map((_, i) => `d${i}`)
const database = emptyDatabase()

beforeAll(async () => {
  const file = join(folder, 'docs.npy')
  await writeEmbeddings(file, { dimensions: 24, ids, type: 'f32' }, documents)
  const lines = texts.map((text, i) => JSON.stringify({ _id: `d${i}`, title: '', text }))
  writeFileSync(join(folder, 'corpus.jsonl'), lines.join('\n'))
  server = await serve({
    store: await openSearchStore(file, { corpus: join(folder, 'corpus.jsonl') }),
  })
})

const search = async (body: object, where = server): Promise<Answer['results']> => {
  const response = await post(where, '/v1/search', body)
  expect(response.status).toBe(200)
  return ((await response.json()) as Answer).results
}

const statistics = termStatistics(texts)

/** All documents by similarity, reranked by the library: with a text by the words too. */
function expected(
  vector: Float32Array,
  text?: string,
  settings: PartialSettings = { statistics },
): string[] {
  const similarity = documents.map((row) =>
    row.reduce((sum, value, j) => sum + value * vector[j]!, 0),
  )
  const found = [...documents.keys()].sort((a, b) => similarity[b]! - similarity[a]!)
  const rows = found.map((i) => documents[i]!)
  const { order } =
    text === undefined
      ? rerank(vector, rows)
      : rerank({ vector, text }, { vectors: rows, texts: found.map((i) => texts[i]!) }, settings)
  return Array.from(order, (place) => `d${found[place]}`)
}

test('finds documents, reranks with words, and returns texts', async () => {
  const text = 'all about bees'
  const found = await search({ query: { embedding: base64(query), text }, return_documents: true })
  expect(found.map(({ id }) => id)).toEqual(expected(query, text).slice(0, 10))
  expect(found[0]!.document!.text).toBe(texts[Number(found[0]!.id.slice(1))])
  const plain = await search({ query: { embedding: base64(query) }, top_n: 50 })
  expect(plain.map(({ id }) => id)).toEqual(expected(query).slice(0, 50))
  const scores = plain.map((result) => result.relevance_score)
  expect(scores).toEqual(scores.toSorted((a, b) => b - a))
})

const stores = [
  { name: 'LanceDB', there: true, address: () => join(folder, 'lance') },
  { name: 'PostgreSQL', there: postgres, address: () => database.url },
]
test.each(stores.filter(({ there }) => there))(
  'finds the same documents in $name',
  async ({ address }) => {
    const store = await openStore(address(), { create: true })
    await store.add(documents.map((vector, i) => ({ id: ids[i]!, vector, text: texts[i]! })))
    const other = await serve({ store })
    const body = { query: { embedding: base64(query), text: 'all about bees' }, top_n: 50 }
    const found = await search({ ...body, return_documents: true }, other)
    expect(found.map(({ id }) => id)).toEqual(expected(query, 'all about bees').slice(0, 50))
    expect(found[0]!.document!.text).toBe(texts[Number(found[0]!.id.slice(1))])
  },
)

/** A store that writes down what it is asked for. */
async function watched(more: Partial<SearchStore> = {}) {
  const file = join(folder, 'docs.npy')
  const store = await openSearchStore(file, { corpus: join(folder, 'corpus.jsonl') })
  const asked: object[] = []
  const watching: SearchStore = {
    ...store,
    dimensions: 24,
    search(queries, options) {
      asked.push(options)
      return store.search(queries, options)
    },
    fetch(ids, options) {
      asked.push({ count: ids.length, ...options })
      return (more.fetch ?? store.fetch)(ids, options)
    },
  }
  return { store: watching, asked }
}
const bees = { query: { embedding: base64(query), text: 'all about bees' }, top_n: 50 }

test('returns the results of each query in a list, and limits the candidates of all together', async () => {
  const queries = [bees.query, { embedding: base64(documents[3]!) }]
  const each = await Promise.all(queries.map((one) => search({ query: one, top_n: 5 })))
  expect(await search({ query: queries, top_n: 5 })).toEqual(each)
  expect(await search({ query: [bees.query], top_n: 5 })).toEqual([each[0]])
  const many = await post(server, '/v1/search', { query: Array(6).fill(bees.query) })
  expect([many.status, await many.json()]).toEqual([
    413,
    expect.objectContaining({ message: 'the request asks for 1200 candidates, the limit is 1000' }),
  ])
  const wrong = await post(server, '/v1/search', { query: [bees.query, {}] })
  expect(await wrong.json()).toMatchObject({
    message: expect.stringMatching(/^query\[1\] has neither/),
  })
})

test('reads 200 texts and the vectors of 50 documents from the store', async () => {
  const { store, asked } = await watched()
  const other = await serve({ store })
  expect((await search(bees, other)).map(({ id }) => id)).toEqual(
    expected(query, 'all about bees').slice(0, 50),
  )
  expect(asked).toEqual([
    { top: 200, vectors: false },
    { count: 200, vectors: false, texts: true },
    { count: 50, vectors: true, texts: false },
  ])
})

test('reads only the context, or uses other statistics, if the settings say so', async () => {
  const { store, asked } = await watched()
  const alone = await serve({ store, statistics: 'context' })
  const found = (await search(bees, alone)).map(({ id }) => id)
  expect(asked[0]).toEqual({ top: 50, vectors: false })
  const without = expected(query, 'all about bees', {})
  expect(found).toEqual(without.slice(0, 50))
  expect(found).not.toEqual(expected(query, 'all about bees').slice(0, 50))
  const own = { statistics: termStatistics(texts.slice(0, 9)) }
  const other = await serve({ store: (await watched()).store, settings: own })
  expect((await search(bees, other)).map(({ id }) => id)).toEqual(
    expected(query, 'all about bees', own).slice(0, 50),
  )
  const wrong = serve({ settings: { ...own, tokenizer: 'plural' } })
  await expect(wrong).rejects.toMatchObject({
    code: 'BAD_INPUT',
    message: expect.stringContaining("'plural'"),
  })
})

test('ranks without words if a document has no text or is deleted', async () => {
  const { store: complete } = await watched()
  const { store } = await watched({
    async fetch(ids, options) {
      const found = await complete.fetch(ids, options)
      return found.map((document, i) => {
        if (ids[i] === 'd4' && options.vectors) return undefined
        return ids[i] === 'd9' && document ? { vector: document.vector } : document
      })
    },
  })
  const other = await serve({ store })
  const found = await search({ ...bees, candidates: 200, top_n: 200 }, other)
  const ids = found.map(({ id }) => id)
  const left = documents.filter((_, i) => i !== 4)
  const place = (i: number): string => `d${i < 4 ? i : i + 1}`
  const similarity = left.map((row) => row.reduce((sum, value, j) => sum + value * query[j]!, 0))
  const order = [...left.keys()].sort((a, b) => similarity[b]! - similarity[a]!)
  const ranked = rerank(
    query,
    order.map((i) => left[i]!),
  )
  expect(ids).toEqual(Array.from(ranked.order, (i) => place(order[i]!)))
})

test('reranks the documents of a request by the statistics of the server', async () => {
  const some = documents.slice(0, 80).map((vector, i) => ({
    embedding: base64(vector),
    text: texts[i]!,
  }))
  const response = await post(server, '/v1/rerank', { query: bees.query, documents: some })
  const { results } = (await response.json()) as { results: { index: number }[] }
  const near = documents
    .slice(0, 80)
    .map((row) => row.reduce((sum, x, j) => sum + x * query[j]!, 0))
  const order = [...near.keys()].sort((a, b) => near[b]! - near[a]!)
  const candidates = {
    vectors: order.map((i) => documents[i]!),
    texts: order.map((i) => texts[i]!),
  }
  const ranked = rerank({ vector: query, text: bees.query.text }, candidates, { statistics })
  expect(results.map(({ index }) => index)).toEqual(Array.from(ranked.order, (i) => order[i]!))
})

test('answers concurrent searches independently', async () => {
  const bodies = documents.slice(0, 40)
  const all = await Promise.all(
    bodies.map((vector, i) => search({ query: { embedding: base64(vector) }, top_n: 1 + i })),
  )
  all.forEach((found, i) => {
    expect(found.map(({ id }) => id)).toEqual(expected(bodies[i]!).slice(0, 1 + i))
  })
})

test('applies candidates, and names wrong requests', async () => {
  const embedding = base64(query)
  expect(await search({ query: { embedding }, candidates: 3, top_n: 2 })).toHaveLength(2)
  expect(await search({ query: { embedding }, candidates: 1000, top_n: 1000 })).toHaveLength(200)
  const wrong: [object, number, RegExp][] = [
    [{ query: { embedding: [1, 2] } }, 422, /\b2 dimensions.*\b24\b/],
    [{ query: 'bees' }, 422, /this server has no model/],
    [{ query: { embedding }, candidates: 1001 }, 413, /1001 .*1000/],
    [{ query: { embedding }, top_n: 0 }, 422, /^top_n/],
  ]
  for (const [body, status, message] of wrong) {
    const response = await post(server, '/v1/search', body)
    expect(response.status).toBe(status)
    expect(((await response.json()) as { message: string }).message).toMatch(message)
  }
})

test('refuses documents that do not exist', async () => {
  await expect(openSearchStore(join(folder, 'empty.npy'))).rejects.toMatchObject({
    code: 'BAD_FILE',
  })
})

test('finds nothing in an empty store, and reports a broken store only in the log', async () => {
  const empty = await serve({ store: await openStore(join(folder, 'empty.npy'), { create: true }) })
  const answer = await post(empty, '/v1/search', { query: { embedding: [1] } })
  expect(((await answer.json()) as Answer).results).toEqual([])
  const secret = new Error('password for host db.internal')
  const store: SearchStore = {
    dimensions: 1,
    search: () => Promise.reject(secret),
    fetch: async () => [],
    close: async () => {},
  }
  const failures: unknown[] = []
  const broken = await serve({ store, onError: (error) => failures.push(error) })
  const response = await post(broken, '/v1/search', { query: { embedding: [1] } })
  expect(response.status).toBe(503)
  expect(await response.text()).not.toMatch(/password|internal|\bat \w+ \(/)
  expect(failures).toEqual([secret])
})
