import type { estypes } from '@elastic/elasticsearch'
import { rerank } from '@kith/core'
import type { API } from '@opensearch-project/opensearch'
import type { QueryResponse } from '@pinecone-database/pinecone'
import type { Schemas } from '@qdrant/js-client-rest'
import { QueryResult } from 'chromadb'
import { expect, test } from 'vitest'
import type { WeaviateReturn } from 'weaviate-client'
import {
  chroma,
  elasticsearch,
  lancedb,
  merged,
  mergeHits,
  milvus,
  opensearch,
  pgvector,
  pinecone,
  qdrant,
  type Reader,
  rerankHits,
  sqliteVec,
  weaviate,
} from '../src/index.ts'
import { sampleHits } from './hits.ts'

// Each response has the type that the real client declares: `npm run check` fails when a
// reader no longer takes what a client returns, or a client no longer returns what we build.
const { query, hits, vectors, texts } = sampleHits()
const expected = [...rerank(query, { vectors, texts }).order]
const orderOf = (better: { index: number }[]) => better.map(({ index }) => index)

test('reads points of Qdrant from query and search', () => {
  const { points }: Schemas['QueryResponse'] = {
    points: hits.map(({ id, vector, text }) => ({
      id,
      version: 1,
      score: 0.5,
      vector,
      payload: { text },
    })),
  }
  const better = rerankHits(query, points, qdrant({ text: 'text' }))
  expect(orderOf(better)).toEqual(expected)
  expect(better[0]!.hit.score).toBe(0.5)
})

test('reads one of several named vectors of Qdrant', () => {
  const points: Schemas['ScoredPoint'][] = hits.map(({ id, vector, text }) => ({
    id,
    version: 1,
    score: 0.5,
    vector: { title: [1, 2], body: vector, words: { indices: [1], values: [1] } },
    payload: { text },
  }))
  expect(orderOf(rerankHits(query, points, qdrant({ vector: 'body', text: 'text' })))).toEqual(
    expected,
  )
  expect(() => rerankHits(query, points, qdrant({ vector: 'words', text: 'text' }))).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining('hit 0') }),
  )
})

test('reads Milvus results of a search by inner product and by distance', () => {
  // As @zilliz/milvus2-sdk-node 3.0 declares them: score, id and the output fields.
  const results = hits.map(({ id, vector, text }, i) => ({
    id: String(id),
    score: 1 / (i + 1),
    vector,
    body: text,
  }))
  expect(orderOf(rerankHits(query, results, milvus({ text: 'body' })))).toEqual(expected)
  const distances = results.map((hit, i) => ({ ...hit, score: i }))
  const reader = milvus({ text: 'body', distances: true })
  expect(orderOf(rerankHits(query, distances, reader))).toEqual(expected)
  expect(reader.score!(distances[3]!)).toBeLessThan(reader.score!(distances[2]!)!)
  expect(() => rerankHits(query, results, milvus({ vector: 'dense' }))).toThrow('output_fields')
})

test('reads sqlite-vec rows with the vector as a blob or as text', () => {
  const rows = hits.map(({ id, vector, text }, i) => ({
    rowid: id,
    distance: i / 10,
    embedding: new Uint8Array(Float32Array.from(vector).buffer),
    body: text,
  }))
  expect(orderOf(rerankHits(query, rows, sqliteVec({ text: 'body' })))).toEqual(expected)
  const texts = rows.map((row, i) => ({ ...row, embedding: JSON.stringify([...vectors[i]!]) }))
  expect(orderOf(rerankHits(query, texts, sqliteVec({ text: 'body' })))).toEqual(expected)
  const cut = rows.map((row) => ({ ...row, embedding: row.embedding.subarray(1) }))
  expect(() => rerankHits(query, cut, sqliteVec())).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining('hit 0') }),
  )
})

test('reads pgvector rows with the vector as text or parsed by the driver', () => {
  interface Row {
    id: string
    embedding: string
    body: string | null
  }
  const rows: Row[] = hits.map(({ id, vector, text }) => ({
    id,
    embedding: `[${vector.join(',')}]`,
    body: text,
  }))
  const better = rerankHits(query, rows, pgvector({ text: 'body' }))
  expect(orderOf(better)).toEqual(expected)
  expect(better[0]!.hit.id).toBe(hits[expected[0]!]!.id)
  const parsed = rows.map((row, i) => ({ ...row, v: vectors[i] }))
  expect(orderOf(rerankHits(query, parsed, pgvector({ vector: 'v', text: 'body' })))).toEqual(
    expected,
  )
})

test('reads rows of a Chroma query result', () => {
  const result = new QueryResult({
    ids: [hits.map(({ id }) => id)],
    embeddings: [vectors],
    documents: [texts],
    distances: [hits.map(() => 0.5)],
    metadatas: [],
    uris: [],
    include: ['embeddings', 'documents', 'distances'],
  })
  expect(orderOf(rerankHits(query, result.rows()[0]!, chroma()))).toEqual(expected)
})

test('reads matches of Pinecone', () => {
  const response: QueryResponse<{ text: string }> = {
    namespace: '',
    matches: hits.map(({ id, vector, text }) => ({
      id,
      score: 0.5,
      values: vector,
      metadata: { text },
    })),
  }
  expect(orderOf(rerankHits(query, response.matches, pinecone({ text: 'text' })))).toEqual(expected)
  const bare = response.matches.map((match) => ({ ...match, values: [] }))
  expect(() => rerankHits(query, bare, pinecone({ text: 'text' }))).toThrow(/includeValues: true/)
  // @ts-expect-error A reader takes the hits of its own store only.
  expect(() => rerankHits(query.vector, response.matches, qdrant())).toThrow(/Qdrant/)
})

test('reads Weaviate objects with one vector or several', () => {
  const answer: WeaviateReturn<{ text: string }, undefined> = {
    objects: hits.map(({ id, vector, text }) => ({
      uuid: id,
      properties: { text },
      metadata: undefined,
      references: undefined,
      vectors: { default: vector, title: [1, 2] },
    })),
  }
  expect(orderOf(rerankHits(query, answer.objects, weaviate({ text: 'text' })))).toEqual(expected)
  const untyped: WeaviateReturn<undefined, undefined> = {
    objects: answer.objects.map((object) => ({
      ...object,
      references: undefined,
      vectors: { own: object.vectors['default']!, late: [[1], [2]] },
    })),
  }
  const read = weaviate({ vector: 'own', text: 'text' })
  expect(orderOf(rerankHits(query, untyped.objects, read))).toEqual(expected)
  expect(() => rerankHits(query.vector, untyped.objects, weaviate({ vector: 'late' }))).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining('late') }),
  )
})

test('reads Elasticsearch and OpenSearch hits with their source', () => {
  interface Source {
    body: string
    embedding: number[]
  }
  const elastic: estypes.SearchHitsMetadata<Source> = {
    hits: hits.map(({ id, vector, text }) => ({
      _index: 'docs',
      _id: id,
      _score: 0.5,
      _source: { body: text, embedding: vector },
    })),
  }
  expect(orderOf(rerankHits(query, elastic.hits, elasticsearch({ text: 'body' })))).toEqual(
    expected,
  )
  const open: API.Search_Response['body']['hits'] = {
    max_score: 0.5,
    hits: hits.map(({ id, vector, text }) => ({ _id: id, _source: { text, v: vector } })),
  }
  const read = opensearch({ vector: 'v', text: 'text' })
  expect(orderOf(rerankHits(query, open.hits, read))).toEqual(expected)
})

test('uses the scores of fused hits for missing similarities, and ignores them if all vectors are given', () => {
  const rrf = (i: number) => 1 / (61 + i)
  const { text } = query
  const check = <Hit>(name: string, list: Hit[], bare: Hit[], reader: Reader<NoInfer<Hit>>) => {
    expect([name, orderOf(rerankHits(query, list, reader))]).toEqual([name, expected])
    const scores = list.map((_, i) => rrf(i))
    const byWords = [...rerank({ text }, { texts, scores }).order]
    expect([name, orderOf(rerankHits({ text }, bare, reader))]).toEqual([name, byWords])
  }
  // client.query('docs', { prefetch: [dense, sparse], query: { fusion: 'rrf' }, with_vector: ['dense'] })
  const points: Schemas['ScoredPoint'][] = hits.map(({ id, vector, text }, i) => {
    return { id, version: 1, score: rrf(i), vector: { dense: vector }, payload: { text } }
  })
  const light = points.map(({ vector, ...point }) => point)
  check('Qdrant', points, light, qdrant({ vector: 'dense', text: 'text' }))
  // client.search({ retriever: { rrf: { retrievers: [standard, knn] } } })
  const found: estypes.SearchHit[] = hits.map(({ id, vector, text }, i) => {
    return { _index: 'docs', _id: id, _score: rrf(i), _source: { text, embedding: vector } }
  })
  const sources = found.map((hit, i) => ({ ...hit, _source: { text: texts[i] } }))
  check('Elasticsearch', found, sources, elasticsearch({ text: 'text' }))
  // docs.query.hybrid(text, { vector, includeVector: true, returnMetadata: ['score', 'explainScore'] })
  const explainScore = 'Hybrid (Result Set keyword,bm25) Document a: original score 6.4'
  const objects: WeaviateReturn<undefined, undefined>['objects'] = hits.map((hit, i) => {
    const metadata = { score: rrf(i), explainScore }
    const parts = { metadata, references: undefined, vectors: { default: hit.vector } }
    return { uuid: hit.id, properties: { text: hit.text }, ...parts }
  })
  const bare = objects.map((object) => ({ ...object, vectors: {} }))
  check('Weaviate', objects, bare, weaviate({ text: 'text' }))
})

test('reads the id of a hit with every reader', () => {
  const point: Schemas['ScoredPoint'] = { id: 7, version: 1, score: 0.7 }
  expect(qdrant().id!(point)).toBe(7)
  expect(pinecone().id!({ id: 'a' } as QueryResponse['matches'][number])).toBe('a')
  const hit: estypes.SearchHit = { _index: 'docs', _id: 'b' }
  expect([elasticsearch().id!(hit), opensearch().id!({})]).toEqual(['b', undefined])
  const row = { id: 8n, key: 'c' }
  expect([lancedb().id!(row), lancedb({ id: 'key' }).id!(row)]).toEqual([8n, 'c'])
  expect([pgvector().id!(row), pgvector({ id: 'key' }).id!(row)]).toEqual([8n, 'c'])
  const found: ReturnType<QueryResult['rows']>[number][number] = { id: 'd' }
  expect(chroma().id!(found)).toBe('d')
  const object = { uuid: 'e', properties: {}, references: undefined, vectors: {} }
  expect(weaviate().id!(object as object)).toBe('e')
})

test('reads the score of a hit with every reader, higher for better hits', () => {
  const point: Schemas['ScoredPoint'] = { id: 1, version: 1, score: 0.7 }
  expect(qdrant().score!(point)).toBe(0.7)
  expect(pinecone().score!({ score: 0.6 } as QueryResponse['matches'][number])).toBe(0.6)
  const hit: estypes.SearchHit = { _index: 'docs', _score: 12.5 }
  expect(elasticsearch().score!(hit)).toBe(12.5)
  const sorted: estypes.SearchHit = { ...hit, _score: null }
  expect(opensearch().score!(sorted)).toBeUndefined()
  expect(elasticsearch().score!({ ...sorted, _rank: 3 } as estypes.SearchHit)).toBe(-3)
  const row = { _distance: 0.3, distance: 0.25 }
  expect(lancedb().score!(row)).toBe(-0.3)
  expect(lancedb().score!({ _score: 3 })).toBe(3)
  expect(lancedb().score!({ ...row, _relevance_score: 0.03 })).toBe(0.03)
  expect(pgvector({ distance: 'distance' }).score!(row)).toBe(-0.25)
  expect(pgvector({ distance: 'distance' }).score!({ distance: Number.NaN })).toBeUndefined()
  expect(pgvector().score).toBeUndefined()
  type ChromaRow = ReturnType<QueryResult['rows']>[number][number]
  const [found, bare]: ChromaRow[] = [
    { id: 'a', distance: 0.25 },
    { id: 'a', distance: null },
  ]
  expect([chroma().score!(found!), chroma().score!(bare!)]).toEqual([-0.25, undefined])
  const object = { uuid: 'a', properties: {}, references: undefined, vectors: {} }
  type WeaviateObject = WeaviateReturn<undefined, undefined>['objects'][number]
  const near: WeaviateObject = { ...object, metadata: { distance: 0.4 } }
  const mixed: WeaviateObject = { ...object, metadata: { score: 0.9 } }
  expect(weaviate().score!(near)).toBe(-0.4)
  expect(weaviate().score!(mixed)).toBe(0.9)
  expect(weaviate().score!({ ...near, metadata: undefined } as WeaviateObject)).toBeUndefined()
})

test('reads titles with every reader by the name of their field', () => {
  const titles = hits.map((_, i) => (i === 7 ? query.text : `Part ${i}`))
  const titled = titles.map((title, i) => ({ title, text: texts[i]! }))
  const { order } = rerank(query, { vectors, texts: titled })
  expect([...order]).not.toEqual(expected)
  const fields = { text: 'text', title: 'name' }
  const payload = (i: number) => ({ text: texts[i]!, name: titles[i]! })
  const points: Schemas['ScoredPoint'][] = hits.map(({ id, vector }, i) => {
    return { id, version: 1, score: 0.5, vector, payload: payload(i) }
  })
  const found: { index: number }[][] = [
    rerankHits(query, points, qdrant(fields)),
    rerankHits(
      query,
      hits.map(({ vector }, i) => ({ _source: { embedding: vector, ...payload(i) } })),
      elasticsearch(fields),
    ),
    rerankHits(
      query,
      hits.map(({ id, vector }, i) => ({ id, values: vector, metadata: payload(i) })),
      pinecone(fields),
    ),
    rerankHits(
      query,
      hits.map(({ vector }, i) => ({ vectors: { default: vector }, properties: payload(i) })),
      weaviate(fields),
    ),
    rerankHits(
      query,
      hits.map(({ vector, text }, i) => {
        return { embedding: vector, document: text, metadata: { name: titles[i]! } }
      }),
      chroma({ title: 'name' }),
    ),
    ...[lancedb(fields), milvus(fields)].map((reader) => {
      const rows = hits.map(({ vector }, i) => ({ vector, ...payload(i) }))
      return rerankHits(query, rows, reader)
    }),
    ...[pgvector(fields), sqliteVec(fields)].map((reader) => {
      const rows = hits.map(({ vector }, i) => ({ embedding: vector, ...payload(i) }))
      return rerankHits(query, rows, reader)
    }),
    rerankHits(query, mergeHits([{ hits: points, reader: qdrant(fields) }]), merged()),
  ]
  for (const better of found) expect(orderOf(better)).toEqual([...order])
  expect(() => rerankHits(query, points, qdrant({ text: 'text', title: 'heading' }))).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining('heading') }),
  )
})
