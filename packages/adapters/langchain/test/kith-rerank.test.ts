import { background, presets, rerank, Selection, shortlist, termStatistics } from '@kith/core'
import { type Encoder, loadEncoder } from '@kith/encoder'
import { ContextualCompressionRetriever } from '@langchain/classic/retrievers/contextual_compression'
import { EnsembleRetriever } from '@langchain/classic/retrievers/ensemble'
import { MemoryVectorStore } from '@langchain/classic/vectorstores/memory'
import { Document } from '@langchain/core/documents'
import { Embeddings } from '@langchain/core/embeddings'
import { BaseRetriever } from '@langchain/core/retrievers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { KithRerank } from '../src/index.ts'

/** A local encoder as LangChain's embeddings, which counts what it is asked for. */
class LocalEmbeddings extends Embeddings {
  texts = 0

  constructor(readonly encoder: Encoder) {
    super({})
  }

  async embedDocuments(texts: string[]): Promise<number[][]> {
    this.texts += texts.length
    const { data, dimensions } = await this.encoder.encode(texts)
    return texts.map((_, i) => [...data.subarray(i * dimensions, (i + 1) * dimensions)])
  }

  async embedQuery(text: string): Promise<number[]> {
    this.texts++
    return [...(await this.encoder.encode([text], { role: 'query' })).data]
  }
}

const subjects = ['Bees', 'Moths', 'Bats', 'Birds', 'Ants', 'Traders', 'Sailors', 'Farmers']
const actions = [
  'find flowers by their scent',
  'carry pollen from plant to plant',
  'sleep through the winter',
  'watch the price of honey',
  'fear storms in autumn',
  'build their homes in old trees',
]
const texts = subjects.flatMap((subject) => actions.map((action) => `${subject} ${action}.`))
const query = 'Who likes the scent of honey in old trees?'

let encoder: Encoder
let vectors: number[][]
let queryVector: number[]
beforeAll(async () => {
  encoder = await loadEncoder('minilm', { threads: 1 })
  const embeddings = new LocalEmbeddings(encoder)
  vectors = await embeddings.embedDocuments(texts)
  queryVector = await embeddings.embedQuery(query)
})
afterAll(() => encoder.close())

const dot = (a: number[], b: number[]) => a.reduce((sum, value, i) => sum + value * b[i]!, 0)

/** The texts as a store returns them, and the order that core gives them. */
function retrieved(limit: number) {
  const score = (i: number) => dot(vectors[i]!, queryVector)
  const found = [...texts.keys()].sort((a, b) => score(b) - score(a)).slice(0, limit)
  const { order, scores } = rerank(
    { vector: queryVector, text: query },
    { vectors: found.map((i) => vectors[i]!), texts: found.map((i) => texts[i]!) },
  )
  return { found, order: [...order].map((i) => texts[found[i]!]!), scores: [...scores] }
}

test('reranks in a ContextualCompressionRetriever over a MemoryVectorStore', async () => {
  const embeddings = new LocalEmbeddings(encoder)
  const store = await MemoryVectorStore.fromTexts(texts, { source: 'test' }, embeddings)
  const retriever = new ContextualCompressionRetriever({
    baseRetriever: store.asRetriever(40),
    baseCompressor: new KithRerank({ embeddings, topN: 5 }),
  })
  const documents = await retriever.invoke(query)
  const plain = await store.similaritySearchWithScore(query, 40)
  const { order, scores } = retrieved(40)
  expect(documents.map(({ pageContent }) => pageContent)).toEqual(order.slice(0, 5))
  expect(order.slice(0, 5)).not.toEqual(plain.slice(0, 5).map(([{ pageContent }]) => pageContent))
  for (const [place, { pageContent, metadata }] of documents.entries()) {
    const before = plain.find(([document]) => document.pageContent === pageContent)![1]
    expect(metadata['source']).toBe('test')
    expect(metadata['vectorScore']).toBeCloseTo(before, 5)
    expect(metadata['relevanceScore']).toBeCloseTo(scores[place]!, 5)
  }
  // The store's own documents stay as they were.
  expect(store.memoryVectors.every(({ metadata }) => !('relevanceScore' in metadata))).toBe(true)
})

/** A retriever by words alone: the documents that share most words with the query. */
class WordRetriever extends BaseRetriever {
  lc_namespace = ['test']

  override async _getRelevantDocuments(asked: string): Promise<Document[]> {
    const words = new Set(asked.toLowerCase().match(/\w+/g))
    const shared = (text: string) =>
      text
        .toLowerCase()
        .match(/\w+/g)!
        .filter((word) => words.has(word)).length
    return texts
      .filter((text) => shared(text) > 0)
      .sort((a, b) => shared(b) - shared(a))
      .slice(0, 12)
      .map((pageContent) => new Document({ pageContent, metadata: { source: 'words' } }))
  }
}

test('reranks documents of an EnsembleRetriever, some with a vector and some found by keywords', async () => {
  const embeddings = new LocalEmbeddings(encoder)
  const documents = texts.map((pageContent, i) => {
    return new Document({ pageContent, metadata: { embedding: vectors[i] } })
  })
  const store = new MemoryVectorStore(embeddings)
  await store.addVectors(vectors, documents)
  const ensemble = new EnsembleRetriever({
    retrievers: [store.asRetriever(12), new WordRetriever()],
  })
  const fused = await ensemble.invoke(query)
  const lacking = fused.filter(({ metadata }) => metadata['source'] === 'words')
  expect(lacking.length).toBeGreaterThan(0)
  expect(lacking.length).toBeLessThan(fused.length)
  embeddings.texts = 0
  const baseCompressor = new KithRerank({ embeddings, vector: 'embedding', topN: 5 })
  const both = new ContextualCompressionRetriever({ baseRetriever: ensemble, baseCompressor })
  const better = await both.invoke(query)
  const found = fused.map(({ pageContent }) => texts.indexOf(pageContent))
  const { order } = rerank(
    { vector: queryVector, text: query },
    { vectors: found.map((i) => vectors[i]!), texts: found.map((i) => texts[i]!) },
  )
  expect(better.map(({ pageContent }) => pageContent)).toEqual(
    [...order.subarray(0, 5)].map((i) => fused[i]!.pageContent),
  )
  // The query once for the store and once for the ranking, and the documents without a vector.
  expect(embeddings.texts).toBe(2 + lacking.length)
})

test('takes vectors from metadata or a function, and embeds only documents without one', async () => {
  const { found, order } = retrieved(40)
  const documents = found.map(
    (i, place) =>
      new Document({
        id: `d${i}`,
        pageContent: texts[i]!,
        metadata: place === 7 ? { i } : { i, embedding: vectors[i] },
      }),
  )
  for (const vector of ['embedding', ({ metadata }: Document) => metadata['embedding']]) {
    const embeddings = new LocalEmbeddings(encoder)
    const compressor = new KithRerank({ embeddings, vector })
    const better = await compressor.compressDocuments(documents, query)
    expect(better.map(({ pageContent }) => pageContent)).toEqual(order)
    expect(better.map(({ id }) => id)).toEqual(better.map(({ metadata }) => `d${metadata['i']}`))
    expect(embeddings.texts).toBe(2)
  }
})

test('reranks a store’s results with their own scores', async () => {
  const embeddings = new LocalEmbeddings(encoder)
  const store = await MemoryVectorStore.fromTexts(texts, {}, embeddings)
  const results = await store.similaritySearchWithScore(query, 40)
  const better = await new KithRerank({ embeddings }).rerankResults(results, query)
  expect(better.map(([{ pageContent }]) => pageContent)).toEqual(retrieved(40).order)
  for (const [document, score] of better) {
    const own = results.find(([{ pageContent }]) => pageContent === document.pageContent)![1]
    expect(document.metadata).toEqual({ vectorScore: own, relevanceScore: score })
  }
})

test('caches the most recently used vectors', async () => {
  const embeddings = new LocalEmbeddings(encoder)
  const documents = texts.slice(0, 10).map((pageContent) => ({ pageContent, metadata: {} }))
  const compressor = new KithRerank({ embeddings, cacheSize: 11 })
  const first = await compressor.compressDocuments([...documents, documents[0]!], query)
  expect(embeddings.texts).toBe(11)
  expect(await compressor.compressDocuments([...documents, documents[0]!], query)).toEqual(first)
  expect(embeddings.texts).toBe(11)
  // One more document pushes out the oldest, which is embedded again when it comes back.
  const other = { pageContent: texts[20]!, metadata: {} }
  await compressor.compressDocuments([...documents.slice(1), other], query)
  expect(embeddings.texts).toBe(12)
  await compressor.compressDocuments(documents, query)
  expect(embeddings.texts).toBe(13)
  const forgetful = new KithRerank({ embeddings, cacheSize: 0 })
  await forgetful.compressDocuments(documents, query)
  await forgetful.compressDocuments(documents, query)
  expect(embeddings.texts).toBe(13 + 22)
})

test('keeps the order beyond the context, and refuses the option scoreThreshold', async () => {
  const embeddings = new LocalEmbeddings(encoder)
  const { found } = retrieved(40)
  const documents = found.map((i) => ({ pageContent: texts[i]!, metadata: {} }))
  expect(() => new KithRerank({ embeddings, scoreThreshold: 0 } as object as never)).toThrow(
    'scoreThreshold does not exist, because scores only compare the hits of one query; pass cutoff: { relevance: 0.5 }',
  )
  const before = embeddings.texts
  const small = new KithRerank({ embeddings, settings: { contextSize: 10 } })
  const all = await small.compressDocuments(documents, query)
  expect(embeddings.texts).toBe(before + 11)
  expect(all.slice(10).map(({ pageContent }) => pageContent)).toEqual(
    documents.slice(10).map(({ pageContent }) => pageContent),
  )
  expect(all.map(({ metadata }) => 'vectorScore' in metadata)).toEqual(
    all.map((_, place) => place < 10),
  )
  expect(await small.compressDocuments([], query)).toEqual([])
})

test('ignores texts with the presets of the paper', async () => {
  const embeddings = new LocalEmbeddings(encoder)
  const { found } = retrieved(40)
  const documents = found.map((i) => ({ pageContent: texts[i]!, metadata: {} }))
  const settings = presets['msmarco-tas-b']
  const better = await new KithRerank({ embeddings, settings }).compressDocuments(documents, query)
  const { order } = rerank(
    queryVector,
    found.map((i) => vectors[i]!),
    settings,
  )
  expect(better.map(({ pageContent }) => pageContent)).toEqual(
    [...order].map((index) => documents[index]!.pageContent),
  )
})

test('applies the method in the settings', async () => {
  const embeddings = new LocalEmbeddings(encoder)
  const { found } = retrieved(40)
  const documents = found.map((i) => ({ pageContent: texts[i]!, metadata: {} }))
  const settings = { method: 'fusion', mix: 'raw' } as const
  const better = await new KithRerank({ embeddings, settings }).compressDocuments(documents, query)
  const { order } = rerank(
    { vector: queryVector, text: query },
    { vectors: found.map((i) => vectors[i]!), texts: found.map((i) => texts[i]!) },
    settings,
  )
  expect(better.map(({ pageContent }) => pageContent)).toEqual(
    [...order].map((index) => documents[index]!.pageContent),
  )
})

/** Documents of two numbers each, and a model that turns their texts into these. */
function plane(count: number) {
  const place = (text: string) => Number(/\d+/.exec(text)![0])
  const vectorOf = (text: string) => [Math.cos(place(text) / 200), Math.sin(place(text) / 200)]
  const texts = Array.from({ length: count }, (_, i) => `${i} bees visit flowers`)
  const asked: string[][] = []
  const embeddings = {
    embedQuery: async () => [1, 0],
    embedDocuments: async (some: string[]) => {
      asked.push(some)
      return some.map(vectorOf)
    },
  }
  const documents = texts.map((pageContent) => ({ pageContent, metadata: {} }))
  const scores = texts.map((text) => vectorOf(text)[0]!)
  const statistics = termStatistics([...texts, 'honey'])
  return { texts, vectors: texts.map(vectorOf), asked, embeddings, documents, scores, statistics }
}
const named = 'bees 70 or bees 110'

test('embeds only the 50 chosen of 200 documents if statistics and scores of a store are given', async () => {
  const { texts, vectors, asked, embeddings, documents, scores, statistics } = plane(230)
  const compressor = new KithRerank({ embeddings, statistics })
  const results = documents.map((document, i) => [document, scores[i]!] as const)
  const better = await compressor.rerankResults(results, named)
  const first = { texts: texts.slice(0, 200), scores: scores.slice(0, 200) }
  const selection = new Selection({ text: named }, first, { statistics })
  const chosen = [...selection.chosen]
  expect(chosen).toContain(110)
  expect(asked).toEqual([chosen.map((i) => texts[i])])
  const expected = selection.rerank(
    [1, 0],
    chosen.map((i) => vectors[i]!),
  )
  expect(better.slice(0, 200).map(([{ pageContent }]) => pageContent)).toEqual(
    [...expected.order].map((i) => texts[i]),
  )
  expect(better.slice(0, 200).map(([, score]) => score)).toEqual([...expected.scores])
  expect(better.slice(200).map(([{ pageContent }]) => pageContent)).toEqual(texts.slice(200))
  // Distances, as some stores return, choose the same; scores may be in the metadata.
  const far = documents.map((document, i) => [document, 2 - scores[i]!] as const)
  const same = await new KithRerank({ embeddings, statistics }).rerankResults(far, named)
  expect(same.map(([{ pageContent }]) => pageContent)).toEqual(
    better.map(([{ pageContent }]) => pageContent),
  )
  const kept = documents.map((document, i) => ({ ...document, metadata: { score: scores[i] } }))
  for (const score of ['score', ({ metadata }: Document) => metadata['score']]) {
    const own = new KithRerank({ embeddings, settings: { statistics }, score })
    const again = await own.compressDocuments(kept, named)
    expect(again.map(({ metadata }) => metadata['relevanceScore'])).toEqual(
      better.map(([, score]) => score),
    )
  }
  expect(asked.map((some) => some.length)).toEqual([50, 50, 50, 50])
})

test('embeds all 200 documents and chooses by their vectors if there are no scores', async () => {
  const { texts, vectors, asked, embeddings, documents, statistics } = plane(230)
  const better = await new KithRerank({ embeddings, statistics }).compressDocuments(
    documents,
    named,
  )
  expect(asked).toEqual([texts.slice(0, 200)])
  const { order } = rerank({ vector: [1, 0], text: named }, { vectors, texts }, { statistics })
  expect(better.map(({ pageContent }) => pageContent)).toEqual([...order].map((i) => texts[i]))
  // Vectors that are at hand are better than scores.
  const kept = documents.map((document, i) => ({ ...document, metadata: { v: vectors[i] } }))
  const results = kept.map((document) => [document, 0.5] as const)
  const own = await new KithRerank({ embeddings, statistics, vector: 'v' }).rerankResults(
    results,
    named,
  )
  expect(own.map(([{ pageContent }]) => pageContent)).toEqual([...order].map((i) => texts[i]))
  expect(asked).toHaveLength(1)
})

test('returns a vectorScore of the chosen metric', async () => {
  const embeddings = {
    embedQuery: async () => [3, 4],
    embedDocuments: async () => [
      [6, 8],
      [1, 0],
    ],
  }
  const documents = ['one', 'two'].map((pageContent) => ({ pageContent, metadata: {} }))
  const scores = async (metric: 'dot' | 'cosine') => {
    const compressor = new KithRerank({ embeddings, settings: { metric } })
    const better = await compressor.compressDocuments(documents, query)
    return better.map(({ metadata }) => metadata['vectorScore'])
  }
  expect(await scores('dot')).toEqual([50, 3])
  expect(await scores('cosine')).toEqual([1, expect.closeTo(0.6, 6)])
})

test('names wrong inputs', async () => {
  const embeddings = new LocalEmbeddings(encoder)
  expect(() => new KithRerank({} as never)).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }))
  expect(() => new KithRerank({ embeddings, topN: 0 })).toThrow(
    expect.objectContaining({ code: 'BAD_SETTING' }),
  )
  expect(() => new KithRerank({ embeddings, cacheSize: 1.5 })).toThrow(
    expect.objectContaining({ code: 'BAD_SETTING' }),
  )
  expect(() => new KithRerank({ embeddings, settings: { k: 0 } })).toThrow(
    expect.objectContaining({ code: 'BAD_SETTING' }),
  )
  expect(() => new KithRerank({ embeddings, statistics: {} as never })).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT' }),
  )
  const documents = [{ pageContent: 'a', metadata: { v: 'no vector' } }]
  await expect(
    new KithRerank({ embeddings, score: 'v' }).compressDocuments(documents, query),
  ).rejects.toMatchObject({ code: 'BAD_INPUT', message: expect.stringContaining('document 0') })
  await expect(
    new KithRerank({ embeddings, vector: 'v' }).compressDocuments(documents, query),
  ).rejects.toMatchObject({ code: 'BAD_INPUT', message: expect.stringContaining('candidate 0') })
  const short = { embedQuery: async () => [1], embedDocuments: async () => [] }
  await expect(
    new KithRerank({ embeddings: short }).compressDocuments(documents, query),
  ).rejects.toMatchObject({ code: 'BAD_SHAPE', message: expect.stringContaining('embedDocuments') })
})

test.each(['top_n', 'topn', 'topK'])('suggests topN for the option %s', (name) => {
  expect(() => new KithRerank({ embeddings: new LocalEmbeddings(encoder), [name]: 3 })).toThrow(
    `unknown option of KithRerank "${name}", did you mean topN?`,
  )
})

test('reads titles from the metadata, by a key or a function', async () => {
  const { found } = retrieved(30)
  const titles = found.map((_, i) => (i === 12 ? 'Scent of honey' : `Part ${i}`))
  const documents = found.map((index, i) => {
    return new Document({ pageContent: texts[index]!, metadata: { name: titles[i], place: i } })
  })
  const { order } = rerank(
    { vector: queryVector, text: query },
    {
      vectors: found.map((i) => vectors[i]!),
      texts: found.map((index, i) => ({ title: titles[i], text: texts[index]! })),
    },
  )
  const embeddings = new LocalEmbeddings(encoder)
  const placesOf = async (options: { title?: string | ((document: Document) => string) }) => {
    const better = await new KithRerank({ embeddings, ...options }).compressDocuments(
      documents,
      query,
    )
    return better.map(({ metadata }) => metadata['place'])
  }
  expect(await placesOf({ title: 'name' })).toEqual([...order])
  expect(await placesOf({ title: ({ metadata }) => metadata['name'] })).toEqual([...order])
  expect(await placesOf({})).not.toEqual([...order])
  await expect(placesOf({ title: 'place' })).rejects.toMatchObject({
    code: 'BAD_INPUT',
    message: expect.stringContaining('document 0'),
  })
})

test('applies a cutoff', async () => {
  const { found } = retrieved(40)
  const documents = found.map((i) => new Document({ pageContent: texts[i]!, metadata: {} }))
  const known = background(vectors)
  const list = shortlist(
    { vector: queryVector, text: query },
    { vectors: found.map((i) => vectors[i]!), texts: found.map((i) => texts[i]!) },
    { background: known, cutoff: 'auto' },
  )
  expect(list.hits.length).toBeLessThan(20)
  const embeddings = new LocalEmbeddings(encoder)
  const auto = new KithRerank({ embeddings, background: known, cutoff: 'auto' })
  const kept = await auto.compressDocuments(documents, query)
  expect(kept.map(({ pageContent }) => pageContent)).toEqual(
    list.hits.map(({ index }) => texts[found[index]!]),
  )
  expect(kept.map(({ metadata }) => metadata['relevance'])).toEqual(
    list.hits.map(({ relevance }) => relevance),
  )
  const strict = new KithRerank({ embeddings, background: known, onTopic: 0.5 })
  expect(await strict.compressDocuments(documents, 'zzz qqq xyzzy')).toEqual([])
  const lacking = new KithRerank({ embeddings, cutoff: 'auto' })
  await expect(lacking.compressDocuments(documents, query)).rejects.toThrow('background(vectors)')
})
