import { rerank, Selection, termStatistics, type Vector } from '@kith/core'
import { expect, expectTypeOf, test, vi } from 'vitest'
import {
  type QdrantHit,
  qdrant,
  type RerankedHit,
  rerankFetched,
  rerankHits,
} from '../src/index.ts'
import { sampleHits } from './hits.ts'

const { query: nearest, hits, vectors, texts } = sampleHits(260)
// It names two hits behind the first 50.
const query = { ...nearest, text: `${texts[70]}, or ${texts[80]}` }
const dot = (vector: number[]) => vector.reduce((sum, x, i) => sum + x * query.vector[i]!, 0)
const scores = vectors.map(dot)
const statistics = termStatistics([...texts, 'bees', 'honey and bees'])

/** Points as Qdrant returns them without vectors, and a store to fetch these from. */
const points = hits.map(({ id, text }, i) => ({ id, score: scores[i]!, payload: { text } }))
const store = new Map(hits.map(({ id, vector }) => [id, vector]))
const fetchVectors = (lacking = (_id: string) => false) =>
  vi.fn(async (some: { id: string }[]) =>
    some.map(({ id }) => (lacking(id) ? undefined : store.get(id))),
  )
const reader = qdrant({ text: 'text' })
const rankingOf = (better: RerankedHit<unknown>[]) => ({
  order: better.map(({ index }) => index),
  scores: better.map(({ score }) => score),
})
const plain = ({ order, scores }: { order: Uint32Array; scores: Float32Array }) => ({
  order: [...order],
  scores: [...scores],
})

test('with statistics, chooses 50 of the first 200 hits, fetches their vectors, and ranks as core does', async () => {
  const fetch = fetchVectors()
  const better = await rerankFetched(query, points, reader, { statistics, vectors: fetch })
  const first = { texts: texts.slice(0, 200), scores: scores.slice(0, 200) }
  const selection = new Selection(query, first, { statistics })
  expect([...selection.chosen].some((index) => index >= 50)).toBe(true)
  expect(fetch).toHaveBeenCalledOnce()
  expect(fetch.mock.calls[0]![0]).toEqual([...selection.chosen].map((index) => points[index]))
  const expected = selection.rerank(
    query.vector,
    [...selection.chosen].map((index) => vectors[index]!),
  )
  expect(rankingOf(better.slice(0, 200))).toEqual(plain(expected))
  expect(better.slice(200).map(({ index }) => index)).toEqual(
    Array.from({ length: 60 }, (_, i) => 200 + i),
  )
  // Here the scores are the similarities that the vectors give.
  const same = rerankHits(query, hits, ownReader, { statistics })
  expect(rankingOf(better).order).toEqual(rankingOf(same).order)
})

const ownReader = {
  vector: (hit: (typeof hits)[number]) => hit.vector,
  text: (hit: (typeof hits)[number]) => hit.text,
}

test('chooses the same hits by distances, which rise from the best hit on', async () => {
  const far = points.map((point) => ({ ...point, score: 100 - point.score }))
  const [near, distant] = [fetchVectors(), fetchVectors()]
  const better = await rerankFetched(query, points, reader, { statistics, vectors: near })
  const same = await rerankFetched(query, far, reader, { statistics, vectors: distant })
  expect(rankingOf(same).order).toEqual(rankingOf(better).order)
  expect(distant.mock.calls[0]![0].map(({ id }) => id)).toEqual(
    near.mock.calls[0]![0].map(({ id }) => id),
  )
})

test('fetches the first 50 hits without statistics or without texts', async () => {
  const fetch = fetchVectors()
  const better = await rerankFetched(query, points, reader, { vectors: fetch, topN: 60 })
  expect(rankingOf(better)).toEqual(rankingOf(rerankHits(query, hits, ownReader, { topN: 60 })))
  const bare = await rerankFetched(query.vector, points, {}, { statistics, vectors: fetch })
  expect(rankingOf(bare)).toEqual(rankingOf(rerankHits(query.vector, hits, ownReader)))
  for (const [asked] of fetch.mock.calls) expect(asked).toEqual(points.slice(0, 50))
  // Another method looks at no more than the context either.
  const settings = { method: 'rocchio' } as const
  await rerankFetched(query, points, reader, { statistics, settings, vectors: fetch })
  expect(fetch.mock.calls[2]![0]).toHaveLength(50)
})

test('fetches the vectors of all hits that it considers if they have no scores', async () => {
  const fetch = fetchVectors()
  const { text } = reader
  const better = await rerankFetched(query, points, { text }, { statistics, vectors: fetch })
  expect(fetch.mock.calls[0]![0]).toEqual(points.slice(0, 200))
  expect(rankingOf(better)).toEqual(rankingOf(rerankHits(query, hits, ownReader, { statistics })))
})

test('ranks a chosen hit without a vector, but refuses hits without any vector', async () => {
  const lacking = (id: string) => id.endsWith('3')
  const options = { vectors: fetchVectors(lacking) }
  const better = await rerankFetched(query, points, reader, options)
  const some = hits.map(({ id, vector }) => (lacking(id) ? undefined : vector)).slice(0, 50)
  expect(some).toContain(undefined)
  const context = { vectors: some, texts: texts.slice(0, 50), scores: scores.slice(0, 50) }
  expect(rankingOf(better.slice(0, 50))).toEqual(plain(rerank(query, context)))
  const selection = new Selection(
    query,
    { texts: texts.slice(0, 200), scores: scores.slice(0, 200) },
    { statistics },
  )
  const chosen = [...selection.chosen].map((index) =>
    lacking(hits[index]!.id) ? undefined : vectors[index],
  )
  expect(
    rankingOf(
      (await rerankFetched(query, points, reader, { ...options, statistics })).slice(0, 200),
    ),
  ).toEqual(plain(selection.rerank(query.vector, chosen)))
  const none = { statistics, vectors: fetchVectors(() => true) }
  await expect(rerankFetched(query, points, reader, none)).rejects.toMatchObject({
    code: 'BAD_INPUT',
  })
  await expect(rerankFetched(query.vector, points, reader, options)).rejects.toMatchObject({
    code: 'BAD_INPUT',
  })
})

test('names wrong inputs, if possible before it fetches vectors', async () => {
  const fetch = fetchVectors()
  const options = { vectors: fetch }
  const rejects = (call: Promise<unknown>, message: string | RegExp) =>
    expect(call).rejects.toThrow(message)
  await rejects(rerankFetched(query, points, reader, {} as never), 'option vectors ')
  await rejects(
    rerankFetched(query, points, reader, { ...options, fetch } as never),
    'unknown option of rerankFetched "fetch", did you mean vectors?',
  )
  await rejects(rerankFetched({ text: 'bees' }, points, reader, options), 'the query has no vector')
  await rejects(rerankFetched(null as never, points, reader, options), 'the query has no vector')
  await rejects(rerankFetched(query, points, qdrant(), options), 'name the field')
  await rejects(rerankFetched(query, points, qdrant as never, options), 'call qdrant()')
  await rejects(rerankFetched(query, points, undefined as never, options), 'reader')
  await rejects(rerankFetched(query, { points } as never, reader, options), 'pass its points')
  await rejects(rerankFetched(query, points, reader, { ...options, topN: 0.5 }), 'topN')
  await rejects(
    rerankFetched(query, points, reader, { ...options, statistics: {} as never }),
    'termStatistics()',
  )
  expect(await rerankFetched(query, [], reader, options)).toEqual([])
  expect(fetch).not.toHaveBeenCalled()
  await rejects(rerankFetched(query, points, reader, { vectors: async () => [[1]] }), 'got 1')
  await rejects(
    rerankFetched(query, points, reader, { vectors: async () => ({}) as never }),
    'got no',
  )
})

test('keeps the type of hits, also for the function that fetches vectors', () => {
  const call = () =>
    rerankFetched(query, points, reader, {
      vectors: async (some) => {
        expectTypeOf(some).toEqualTypeOf<typeof points>()
        return some.map((): Vector | undefined => undefined)
      },
    })
  expectTypeOf(call).returns.resolves.toEqualTypeOf<RerankedHit<(typeof points)[number]>[]>()
  // Hits of a client without types: the function may say what it takes.
  const untyped = () =>
    rerankFetched(query, JSON.parse('[]'), reader, {
      vectors: async (some: { id: string }[]) => some.map(({ id }) => store.get(id)),
    })
  expectTypeOf(untyped).returns.resolves.toEqualTypeOf<RerankedHit<QdrantHit>[]>()
  // @ts-expect-error A reader takes the hits of its own store only.
  void (() => rerankFetched(query, [{ values: [1] }], reader, { vectors: async () => [] }))
  expectTypeOf(reader.score).parameter(0).toEqualTypeOf<QdrantHit>()
})

test('applies an adapter to the query vector', async () => {
  const adapter = { apply: () => Float32Array.from(vectors[9]!) }
  const options = { statistics, vectors: fetchVectors() }
  const found = await rerankFetched(query, points, reader, { ...options, adapter })
  const adapted = { ...query, vector: vectors[9]! }
  const expected = await rerankFetched(adapted, points, reader, options)
  expect(rankingOf(found)).toEqual(rankingOf(expected))
  const without = await rerankFetched(query, points, reader, options)
  expect(rankingOf(found)).not.toEqual(rankingOf(without))
})
