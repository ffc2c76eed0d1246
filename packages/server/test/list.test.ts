import { background, type ListOptions, shortlist } from '@kith/core'
import { describe, expect, test } from 'vitest'
import type { RunningServer } from '../src/server.ts'
import { base64, post, serve, vectors } from './support.ts'

/** Documents of which every fifth repeats the one before, in groups of about four. */
const [query, ...own] = vectors(61, 48) as [Float32Array, ...Float32Array[]]
const rows = own.map((row, i) =>
  i % 5 ? row : own[Math.max(0, i - 1)]!.map((value, j) => value + (j === 0 ? 0.01 : 0)),
)
const text = 'bees find flowers'
const texts = rows.map((_, i) => (i % 3 ? `wasps, number ${i}` : `bees and flowers, number ${i}`))
/** Ids that float32 does not tell apart. */
const pages = rows.map((_, i) => 2 ** 40 + (i % 15))
const dates = rows.map((_, i) => (i % 7 ? 1_700_000_000_000 + i * 1e6 : null))
const known = background(rows)

const body = {
  query: { text, embedding: base64(query) },
  documents: rows.map((row, i) => ({
    text: texts[i],
    embedding: base64(row),
    page: pages[i],
    source: `page ${pages[i]}`,
    date: dates[i],
  })),
}

interface Result {
  index: number
  similarity: number
  relevance_score: number
  duplicates?: number[]
  others?: number[]
}
interface Answer {
  results: Result[]
  data?: Result[]
  meta: { relevance?: string; on_topic?: number }
  message: string
}

const sorted = [...rows.keys()].sort((a, b) => cosine(b) - cosine(a))

function cosine(i: number): number {
  const row = rows[i]!
  return row.reduce((sum, value, j) => sum + value * query[j]!, 0) / Math.hypot(...row)
}

/** The hits of core for the same documents, which a search would bring in the order of their cosines. */
function expected(options: ListOptions, withTexts = true): Omit<Result, 'relevance_score'>[] {
  const inOrder = <T>(list: ArrayLike<T> | undefined) => list && sorted.map((i) => list[i]!)
  const candidates = {
    vectors: inOrder(rows),
    texts: withTexts ? inOrder(texts) : undefined,
  }
  const { hits } = shortlist({ vector: query, text: withTexts ? text : undefined }, candidates, {
    metric: 'cosine',
    ...options,
    groups: inOrder(options.groups as unknown[] | undefined),
    priors: inOrder(options.priors),
  })
  return hits.map(({ index, similarity, duplicates, others }) => ({
    index: sorted[index]!,
    similarity: expect.closeTo(similarity!, 5) as number,
    ...(options.collapse ? { duplicates: duplicates.map((i) => sorted[i]!) } : {}),
    ...(options.groups ? { others: others.map((i) => sorted[i]!) } : {}),
  }))
}

async function ask(server: RunningServer, fields: object, path = '/v2/rerank'): Promise<Answer> {
  const response = await post(server, path, { ...body, ...fields })
  const answer = (await response.json()) as Answer
  expect(response.status, answer.message).toBe(200)
  return answer
}

const withoutScores = (results: Result[]) =>
  results.map(({ relevance_score: _, ...result }) => result)

const settings = { metric: 'cosine' as const }

/** Fields of a request, and the options of core that they stand for. */
const lists: [object, ListOptions][] = [
  [{ group: 'page' }, { groups: pages }],
  [
    { group: 'source', max_per_group: 2 },
    { groups: pages, maxPerGroup: 2 },
  ],
  [{ group: pages }, { groups: pages }],
  [
    { group: pages.map((page) => (page % 2 ? `${page}` : null)) },
    { groups: pages.map((page) => (page % 2 ? page : undefined)) },
  ],
  [{ collapse: 0.99 }, { collapse: 0.99 }],
  [
    { prior: 'date', prior_weight: 2 },
    { priors: dates, priorWeight: 2 },
  ],
  [{ prior: dates }, { priors: dates }],
  [
    { prior: rows.map((_, i) => (i % 2 ? 1.5 : -0.25)), prior_scale: 'log-odds', prior_weight: 1 },
    { priors: rows.map((_, i) => (i % 2 ? 1.5 : -0.25)), priorScale: 'log-odds', priorWeight: 1 },
  ],
  [{ cutoff: 4 }, { cutoff: 4 }],
  [
    { group: 'page', collapse: 0.99, prior: 'date', cutoff: 'auto', on_topic: 0 },
    { groups: pages, collapse: 0.99, priors: dates, cutoff: 'auto', onTopic: 0, background: known },
  ],
  [{ cutoff: { relevance: 0.2 } }, { cutoff: { relevance: 0.2 }, background: known }],
]

describe('makes the list of core', () => {
  test.each([1, 2])('with %i processes', async (workers) => {
    const server = await serve({ settings, background: known, workers })
    for (const [fields, options] of lists) {
      const wanted = expected(options)
      for (const path of ['/v1/rerank', '/v2/rerank', '/rerank']) {
        const { results } = await ask(server, fields, path)
        expect(withoutScores(results), JSON.stringify(fields)).toEqual(wanted)
        const scores = results.map((result) => result.relevance_score)
        expect(scores).toEqual(scores.toSorted((a, b) => b - a))
      }
    }
  })

  test('of embeddings alone', async () => {
    const server = await serve({
      settings: {
        ...settings,
        views: { vectors: { graph: 0.5, score: 0.5 }, text: { graph: 0.5, score: 0.5 } },
      },
    })
    const documents = body.documents.map(({ text: _, ...document }) => document)
    const { results } = await ask(server, { documents, group: 'page', collapse: 0.99 })
    expect(withoutScores(results)).toEqual(expected({ groups: pages, collapse: 0.99 }, false))
  })

  test('of texts, and of documents that are texts', async () => {
    const model = {
      name: 'rows',
      dimensions: 48,
      maxTokens: 60,
      async embed(given: readonly string[]) {
        return given.map((one) => ({
          vector: rows[texts.indexOf(one)] ?? query,
          tokens: 3,
          cut: false,
        }))
      },
      async close() {},
    }
    const server = await serve({ settings, openModel: async () => model })
    const fields = { group: pages, collapse: 0.99, prior: dates }
    const wanted = expected({ groups: pages, collapse: 0.99, priors: dates })
    const { results } = await ask(server, { ...fields, query: text, documents: texts })
    expect(withoutScores(results)).toEqual(wanted)
    const response = await post(server, '/rerank', { ...fields, query: text, texts })
    const scored = (await response.json()) as (Result & { score: number })[]
    expect(scored.map(({ score: _, ...result }) => result)).toEqual(wanted)
  })
})

test('top_n counts the hits of the list, and Voyage’s data has the same fields', async () => {
  const server = await serve({ settings })
  const { results, data } = await ask(server, { group: 'page', collapse: 0.99, top_k: 3 })
  expect(withoutScores(results)).toEqual(expected({ groups: pages, collapse: 0.99 }).slice(0, 3))
  expect(data).toEqual(results)
})

test('adds no field to the results of a request without a list', async () => {
  const server = await serve({ settings, background: known })
  const { results, meta } = await ask(server, { group: null, prior: null, collapse: null })
  expect(Object.keys(results[0]!)).toEqual(['index', 'relevance_score', 'similarity'])
  expect(meta.on_topic).toBeUndefined()
})

test('returns no document for a query that is off topic, and the probability', async () => {
  const server = await serve({ settings, background: known })
  const on = await ask(server, { on_topic: 0 })
  expect(on.results).toHaveLength(60)
  const probability = on.meta.on_topic!
  expect(probability).toBeGreaterThan(0)
  expect(probability).toBeLessThan(1)
  const off = await ask(server, { on_topic: 1 })
  expect(off.results).toEqual([])
  expect(off.meta.on_topic).toBe(probability)
})

test('refuses wrong fields with 422, and says what was expected', async () => {
  const server = await serve({ settings })
  const numbers = [1, 2, 3, 4, 5, 6, 7, 8, 9]
  const bad: [object, string][] = [
    [
      { group: 'chapter' },
      'group: none of documents has the field "chapter"; send documents as objects that have it, or a list with an entry for each',
    ],
    [
      { group: '__proto__' },
      'group: none of documents has the field "__proto__"; send documents as objects that have it, or a list with an entry for each',
    ],
    [
      { group: 'embedding' },
      'documents[0].embedding must be a string, a number or null, got an array',
    ],
    [{ group: ['a'] }, 'group must have 60 entries, one for each of documents, got 1'],
    [
      { group: 7 },
      'group must be a field of the documents, or a list with an entry for each of documents, got 7',
    ],
    [
      { group: pages.with(3, true as never) },
      'group[3] must be a string, a number or null, got true',
    ],
    [
      { group: pages.map(() => numbers) },
      'group[0] must be a string, a number or null, got an array',
    ],
    [{ max_per_group: 2 }, 'max_per_group has no effect without group; leave it out'],
    [{ group: 'page', max_per_group: 0 }, 'max_per_group: Too small: expected number to be >=1'],
    [{ collapse: 1.5 }, 'collapse: Too big: expected number to be <=1'],
    [
      { prior: 'source' },
      `documents[0].source must be a number up to 1e+30 or null, got "page ${pages[0]}"`,
    ],
    [
      { prior: 'text' },
      'documents[0].text must be a number up to 1e+30 or null, got "bees and flowers, number 0"',
    ],
    [{ prior: numbers }, 'prior must have 60 entries, one for each of documents, got 9'],
    [{ prior: pages.map(() => 1e31) }, 'prior[0] must be a number up to 1e+30 or null, got 1e+31'],
    [{ prior_weight: 1 }, 'prior_weight has no effect without prior; leave it out'],
    [{ prior_scale: 'standard' }, 'prior_scale has no effect without prior; leave it out'],
    [{ prior: 'page', prior_weight: -1 }, 'prior_weight: Too small: expected number to be >=0'],
    [{ cutoff: -1 }, 'cutoff: Too small: expected number to be >=0'],
    [{ cutoff: { relevance: 0.5, score: 1 } }, 'cutoff: Unrecognized key: "score"'],
    [{ cutoff: 'all' }, 'cutoff: must be "auto", a number of documents, or { "relevance": 0.5 }'],
    [
      { cutoff: 'auto' },
      'cutoff needs a background of vectors with 48 dimensions; start the server with --background',
    ],
    [
      { on_topic: 0.5 },
      'on_topic needs a background of vectors with 48 dimensions; start the server with --background',
    ],
  ]
  for (const [fields, message] of bad) {
    const response = await post(server, '/v1/rerank', { ...body, ...fields })
    expect([response.status, ((await response.json()) as Answer).message]).toEqual([422, message])
  }
  const infinite = JSON.stringify({ ...body, prior: dates }).replace(
    '"prior":[null',
    '"prior":[1e999',
  )
  const response = await post(server, '/v1/rerank', infinite)
  expect(await response.json()).toMatchObject({
    message: 'prior[0] must be a number up to 1e+30 or null, got Infinity',
  })
})

test('the largest priors give finite scores', async () => {
  const server = await serve({ settings })
  for (const prior_scale of ['standard', 'log-odds']) {
    const prior = rows.map((_, i) => (i % 2 ? 1e30 : -1e30))
    const { results } = await ask(server, { prior, prior_scale, prior_weight: 1000 })
    expect(results.every((result) => Number.isFinite(result.relevance_score))).toBe(true)
    expect(results[0]!.index % 2).toBe(1)
  }
})

test('the OpenAPI description has the fields of a list', async () => {
  const server = await serve()
  const response = await fetch(`${server.url}/openapi.json`)
  const { paths } = (await response.json()) as { paths: Record<string, unknown> }
  for (const path of ['/v1/rerank', '/v2/rerank', '/rerank']) {
    const description = JSON.stringify(paths[path])
    for (const name of ['group', 'max_per_group', 'collapse', 'prior', 'cutoff', 'duplicates']) {
      expect(description).toContain(`"${name}":{`)
    }
  }
})
