import type { RerankingModelV3 } from '@ai-sdk/provider'
import {
  background,
  rerank as kithRerank,
  type PresetName,
  presets,
  Selection,
  shortlist,
  termStatistics,
} from '@kith/core'
import { type Encoder, loadEncoder } from '@kith/encoder'
import { customProvider, rerank } from 'ai'
import { afterAll, beforeAll, expect, expectTypeOf, test } from 'vitest'
import { createKith } from '../src/index.ts'

const texts = [
  'The price of honey rises when winters are hard.',
  'Old trees give bees a home.',
  'Honey from old trees has a strong scent.',
  'Sailors fear the storms of autumn.',
  'Bears like the scent of honey.',
  'Traders watch the price of timber.',
  'Bats sleep in hollow trees.',
  'A strong scent keeps moths away.',
]
const query = 'Who likes the scent of honey in old trees?'

let encoder: Encoder
let vectors: number[][]
let embedding: number[]
beforeAll(async () => {
  encoder = await loadEncoder('minilm', { threads: 1 })
  const { data, dimensions } = await encoder.encode(texts)
  vectors = texts.map((_, i) => [...data.subarray(i * dimensions, (i + 1) * dimensions)])
  embedding = [...(await encoder.encode([query], { role: 'query' })).data]
})
afterAll(() => encoder.close())

const expected = () => kithRerank({ vector: embedding, text: query }, { vectors, texts })
const providerOptions = () => ({ kith: { embedding } })

test('returns an object of the type RerankingModelV3', async () => {
  const model = createKith().rerankingModel()
  expectTypeOf(model).toEqualTypeOf<RerankingModelV3>()
  expect([model.specificationVersion, model.provider, model.modelId]).toEqual([
    'v3',
    'kith',
    'balanced',
  ])
  // Version 7 of the SDK calls it through a proxy.
  const { ranking } = await new Proxy(model, {}).doRerank({
    query,
    documents: { type: 'object', values: vectors.map((embedding) => ({ embedding })) },
    providerOptions: providerOptions(),
  })
  expect(ranking.map(({ index }) => index)).toEqual([...kithRerank(embedding, vectors).order])
})

test('embeds texts with a local encoder or with a function', async () => {
  const embedders = [
    encoder.encode.bind(encoder),
    async (values: string[]) => values.map((text) => vectors[texts.indexOf(text)] ?? embedding),
  ]
  for (const embed of embedders) {
    const model = createKith({ embed }).rerankingModel()
    const { ranking, rerankedDocuments } = await rerank({ model, documents: texts, query })
    const { order, scores } = expected()
    expect(ranking.map(({ originalIndex }) => originalIndex)).toEqual([...order])
    expect(rerankedDocuments).toEqual([...order].map((index) => texts[index]))
    for (const [place, { score }] of ranking.entries()) expect(score).toBeCloseTo(scores[place]!, 5)
  }
})

test('reranks objects with an embedding without an embed function', async () => {
  const documents = texts.map((text, i) => ({ id: i, text, embedding: vectors[i]! }))
  const model = createKith().rerankingModel()
  const answer = await rerank({
    model,
    documents,
    query,
    topN: 3,
    providerOptions: providerOptions(),
  })
  const order = [...expected().order]
  expect(answer.rerankedDocuments.map(({ id }) => id)).toEqual(order.slice(0, 3))
  const numbers = documents.map(({ id, embedding }) => ({ id, embedding }))
  const bare = await rerank({
    model,
    documents: numbers,
    query,
    providerOptions: providerOptions(),
  })
  expect(bare.rerankedDocuments.map(({ id }) => id)).toEqual([
    ...kithRerank(embedding, vectors).order,
  ])
})

test('embeds only the objects without an embedding, by joining their strings', async () => {
  const asked: [string, string[]][] = []
  const kith = createKith({
    embed: async (values, { role }) => {
      asked.push([role, values])
      return values.map((_, i) => vectors[i]!)
    },
  })
  const documents = [
    { title: 'Bears', body: texts[4]!, year: 1990, embedding: null },
    { title: 'Bats', body: texts[6]!, year: 1991, embedding: vectors[6]! },
  ]
  await rerank({ model: kith.rerankingModel(), documents, query })
  expect(asked).toEqual([
    ['query', [query]],
    ['document', [`Bears\n${texts[4]}`]],
  ])
  const text = (document: { [key: string]: unknown }) => String(document['body'])
  await rerank({ model: kith.rerankingModel('balanced', { text }), documents, query })
  expect(asked[3]).toEqual(['document', [texts[4]]])
})

test('applies a preset and settings', async () => {
  const documents = texts.map((text, i) => ({ text, embedding: vectors[i]! }))
  const kith = createKith({ settings: { k: 3 } })
  const model = kith.rerankingModel('msmarco-tas-b', { settings: { lambda: 0.3 } })
  expect(model.modelId).toBe('msmarco-tas-b')
  const { ranking } = await rerank({ model, documents, query, providerOptions: providerOptions() })
  const settings = { ...presets['msmarco-tas-b'], lambda: 0.3 }
  const { order, scores } = kithRerank(embedding, vectors, settings)
  expect(ranking.map(({ originalIndex }) => originalIndex)).toEqual([...order])
  expect(ranking.map(({ score }) => score)).toEqual([...scores])
  expect(() => kith.rerankingModel('best' as PresetName)).toThrow(
    expect.objectContaining({ code: 'BAD_SETTING', message: expect.stringContaining('best') }),
  )
})

test('takes the nearest documents as the context, in any order of the documents', async () => {
  for (const metric of ['dot', 'cosine'] as const) {
    // Vectors of other lengths, so that the metric matters.
    const values = texts.map((text, i) => ({
      text,
      embedding: vectors[i]!.map((x) => x * (1 + i)),
    }))
    const similarity = (i: number) => {
      const product = embedding.reduce((sum, x, j) => sum + x * values[i]!.embedding[j]!, 0)
      return metric === 'dot' ? product : product / (1 + i)
    }
    const sorted = [...texts.keys()].sort((a, b) => similarity(b) - similarity(a))
    const settings = { contextSize: 4, metric }
    const { ranking } = await rerank({
      model: createKith({ settings }).rerankingModel(),
      documents: values,
      query,
      providerOptions: providerOptions(),
    })
    const { order } = kithRerank(
      { vector: embedding, text: query },
      {
        vectors: sorted.map((i) => values[i]!.embedding),
        texts: sorted.map((i) => texts[i]!),
      },
      settings,
    )
    expect(ranking.map(({ originalIndex }) => originalIndex)).toEqual(
      [...order].map((place) => sorted[place]),
    )
  }
})

/** Texts with a number each, which is the direction of their vector. */
function plane(count: number) {
  const place = (text: string) => Number(/\d+/.exec(text)![0]) / 200
  const vectorOf = (text: string) => [Math.cos(place(text)), Math.sin(place(text))]
  const values = Array.from({ length: count }, (_, i) => `${i} bees visit flowers`)
  const embedded: string[][] = []
  const embed = async (some: string[], { role }: { role: string }) => {
    if (role === 'query') return [[1, 0]]
    embedded.push(some)
    return some.map(vectorOf)
  }
  const statistics = termStatistics([...values, 'honey'])
  const scores = values.map((text) => vectorOf(text)[0]!)
  return { values, vectors: values.map(vectorOf), embed, embedded, statistics, scores }
}
const named = 'bees 70 or bees 110'

test('chooses the context from the nearest 200 documents if statistics are given', async () => {
  const { values, vectors, embed, embedded, statistics } = plane(230)
  const model = createKith({ embed, statistics }).rerankingModel()
  const { ranking } = await rerank({ model, documents: values, query: named })
  const asked = { vector: [1, 0], text: named }
  const { order, scores } = kithRerank(asked, { vectors, texts: values }, { statistics })
  expect(ranking.map(({ originalIndex }) => originalIndex)).toEqual([...order])
  expect(ranking.map(({ score }) => score)).toEqual([...scores])
  expect([...order.subarray(0, 50)]).toContain(110)
  expect(embedded).toEqual([values])
})

test('embeds only the chosen 50 documents if the scores of a store are given, in any order', async () => {
  const { values, vectors, embed, embedded, statistics, scores } = plane(230)
  const selection = new Selection(
    { text: named },
    { texts: values.slice(0, 200), scores: scores.slice(0, 200) },
    { statistics },
  )
  const chosen = [...selection.chosen]
  const expected = selection.rerank(
    [1, 0],
    chosen.map((i) => vectors[i]!),
  )
  const model = createKith({ embed, statistics }).rerankingModel()
  const mixed = [...values.keys()].sort((a, b) => ((a * 37) % 230) - ((b * 37) % 230))
  const { ranking } = await rerank({
    model,
    documents: mixed.map((i) => values[i]!),
    query: named,
    providerOptions: { kith: { scores: mixed.map((i) => scores[i]!) } },
  })
  expect(embedded).toEqual([chosen.map((i) => values[i])])
  expect(ranking.slice(0, 200).map(({ originalIndex }) => mixed[originalIndex])).toEqual([
    ...expected.order,
  ])
  expect(ranking.slice(0, 200).map(({ score }) => score)).toEqual([...expected.scores])
  expect(ranking.slice(200).map(({ document }) => document)).toEqual(values.slice(200))
  // Without statistics they are the 50 with the highest scores.
  const plain = createKith({ embed }).rerankingModel()
  await rerank({
    model: plain,
    documents: values,
    query: named,
    providerOptions: { kith: { scores } },
  })
  expect(embedded[1]).toEqual(values.slice(0, 50))
  // Where all embeddings are at hand, they say more than the scores.
  const documents = values.map((text, i) => ({ text, embedding: vectors[i]! }))
  const kith = { embedding: [1, 0], scores: scores.map(() => 0) }
  const own = await rerank({ model, documents, query: named, providerOptions: { kith } })
  const asked = { vector: [1, 0], text: named }
  expect(own.ranking.map(({ originalIndex }) => originalIndex)).toEqual([
    ...kithRerank(asked, { vectors, texts: values }, { statistics }).order,
  ])
  expect(embedded).toHaveLength(2)
})

test('ranks merged documents without an embedding by their words if there is no embed function', async () => {
  const documents = texts.map((text, i) =>
    i % 3 === 1 ? { text } : { text, embedding: vectors[i]! },
  )
  const some = vectors.map((vector, i) => (i % 3 === 1 ? undefined : vector))
  const asked = { vector: embedding, text: query }
  const ranked = async (scores?: number[]) => {
    const kith = { embedding, ...(scores && { scores }) }
    const model = createKith().rerankingModel()
    const { ranking } = await rerank({ model, documents, query, providerOptions: { kith } })
    return ranking.map(({ originalIndex }) => originalIndex)
  }
  expect(await ranked()).toEqual([...kithRerank(asked, { vectors: some, texts }).order])
  // Scores give the order, and replace the similarity of documents without an embedding.
  const scores = texts.map((_, i) => 1 / (61 + i))
  const better = kithRerank(asked, { vectors: some, texts, scores })
  expect(await ranked(scores)).toEqual([...better.order])
  const back = [...texts.keys()].reverse()
  const turned = kithRerank(asked, {
    vectors: back.map((i) => some[i]),
    texts: back.map((i) => texts[i]!),
    scores,
  })
  expect(await ranked(scores.toReversed())).toEqual([...turned.order].map((place) => back[place]))
  // Where words do not count, every document needs one.
  const raw = createKith().rerankingModel('msmarco-tas-b')
  const providerOptions = { kith: { embedding } }
  await expect(rerank({ model: raw, documents, query, providerOptions })).rejects.toMatchObject({
    code: 'BAD_INPUT',
    message: expect.stringContaining('document 1'),
  })
})

test('works as a model of a custom provider', async () => {
  const kith = createKith({ embed: encoder.encode.bind(encoder) })
  const provider = customProvider({ rerankingModels: { words: kith.rerankingModel() } })
  const model = provider.rerankingModel('words')
  const { ranking } = await rerank({ model, documents: texts, query, topN: 1 })
  expect(ranking[0]!.originalIndex).toBe(expected().order[0])
})

test('stops on an abort signal, and names wrong inputs', async () => {
  const stop = new AbortController()
  const hanging = createKith({
    embed: async (values, { signal }) => {
      stop.abort(new Error('enough'))
      signal!.throwIfAborted()
      return values.map(() => [1])
    },
  })
  const call = { documents: texts, query }
  await expect(
    rerank({ ...call, model: hanging.rerankingModel(), abortSignal: stop.signal }),
  ).rejects.toThrow('enough')
  const bare = createKith().rerankingModel()
  await expect(rerank({ ...call, model: bare })).rejects.toThrow(
    /^the query has no embedding; pass an embed function to createKith/,
  )
  await expect(
    rerank({ ...call, model: bare, providerOptions: providerOptions() }),
  ).rejects.toMatchObject({ code: 'BAD_INPUT', message: expect.stringContaining('document 0') })
  await expect(
    rerank({ ...call, model: bare, providerOptions: { kith: { embedding: ['1'] } } }),
  ).rejects.toMatchObject({ code: 'BAD_INPUT' })
  await expect(rerank({ ...call, model: bare, topN: -1 })).rejects.toMatchObject({
    code: 'BAD_SETTING',
  })
  const scored = (scores: (number | string)[]) =>
    rerank({ ...call, model: hanging.rerankingModel(), providerOptions: { kith: { scores } } })
  await expect(scored([1])).rejects.toMatchObject({ code: 'BAD_SHAPE' })
  await expect(scored(['1'])).rejects.toMatchObject({ code: 'BAD_INPUT' })
  const mixed = createKith({
    embed: async (values) => values.map((_, i) => (i < 2 ? [1] : [1, 2])),
  })
  await expect(rerank({ ...call, model: mixed.rerankingModel() })).rejects.toMatchObject({
    code: 'BAD_SHAPE',
    message: expect.stringContaining('document 2'),
  })
  const bad = createKith({ embed: async (values) => values.map((_, i) => [i === 5 ? NaN : 1]) })
  await expect(rerank({ ...call, model: bad.rerankingModel() })).rejects.toMatchObject({
    code: 'BAD_VECTOR',
    message: expect.stringContaining('document 5'),
  })
  const short = createKith({ embed: async () => [[1]] }).rerankingModel()
  await expect(rerank({ ...call, model: short })).rejects.toMatchObject({ code: 'BAD_SHAPE' })
})

test('refuses unknown options', () => {
  expect(() => createKith({ statistics: [] as never }).rerankingModel()).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT' }),
  )
  expect(() => createKith({ embeddings: () => [] } as object)).toThrow(
    'unknown option of createKith "embeddings", did you mean embed? Known: embed, text, title, settings',
  )
  expect(() => createKith().rerankingModel('balanced', { setting: {} } as object)).toThrow(
    'did you mean settings?',
  )
})

test('weights the title of an object as a title', async () => {
  const documents = texts.map((text, i) => ({
    title: i === 3 ? query : `Number ${i}`,
    body: text,
    embedding: vectors[i]!,
  }))
  const orderOf = async (options: Parameters<typeof createKith>[0]) => {
    const model = createKith(options).rerankingModel()
    const { ranking } = await rerank({
      model,
      documents,
      query,
      providerOptions: providerOptions(),
    })
    return ranking.map(({ originalIndex, score }) => [originalIndex, score])
  }
  const titled = documents.map(({ title, body }) => ({ title, text: body }))
  const ranked = kithRerank({ vector: embedding, text: query }, { vectors, texts: titled })
  const expectedTitled = Array.from(ranked.order, (index, i) => [index, ranked.scores[i]])
  expect(await orderOf({})).toEqual(expectedTitled)
  const body = (document: { [key: string]: unknown }) => String(document['body'])
  const title = (document: { [key: string]: unknown }) => String(document['title'])
  expect(await orderOf({ text: body, title })).toEqual(expectedTitled)
  expect(await orderOf({ text: body })).not.toEqual(expectedTitled)
})

test('applies a cutoff and a background, and returns relevance and similarity in the metadata', async () => {
  const documents = texts.map((text, i) => ({ text, embedding: vectors[i]! }))
  const known = background(vectors)
  const model = createKith({ background: known, cutoff: 'auto' }).rerankingModel()
  const call = { model, documents, query, providerOptions: providerOptions() }
  const { ranking, providerMetadata } = await rerank(call)
  const similarity = (i: number) =>
    vectors[i]!.reduce((sum, value, j) => sum + value * embedding[j]!, 0)
  const sorted = [...texts.keys()].sort((a, b) => similarity(b) - similarity(a))
  const list = shortlist(
    { vector: embedding, text: query },
    { vectors: sorted.map((i) => vectors[i]!), texts: sorted.map((i) => texts[i]!) },
    { background: known, cutoff: 'auto' },
  )
  expect(ranking.map(({ originalIndex }) => originalIndex)).toEqual(
    list.hits.map(({ index }) => sorted[index]),
  )
  expect(ranking.length).toBeLessThan(texts.length)
  expect(providerMetadata?.['kith']).toEqual({
    onTopic: list.onTopic,
    relevance: list.hits.map((hit) => hit.relevance),
    similarity: list.hits.map((hit) => hit.similarity),
  })
})
