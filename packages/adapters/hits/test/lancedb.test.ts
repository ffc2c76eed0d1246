import { rerank, termStatistics } from '@kith/core'
import { connect, Index, rerankers } from '@lancedb/lancedb'
import { expect, expectTypeOf, test } from 'vitest'
import { temporaryFolder } from '../../../../test/files.ts'
import {
  lancedb,
  lancedbReranker,
  merged,
  mergeHits,
  rerankFetched,
  rerankHits,
} from '../src/index.ts'
import { sampleHits } from './hits.ts'

const folder = temporaryFolder()

test('reranks rows of a LanceDB table', async () => {
  const { query, hits } = sampleHits(200)
  const database = await connect(folder)
  const table = await database.createTable('docs', hits)
  const rows = await table.query().nearestTo(query.vector).distanceType('dot').limit(30).toArray()
  const found = hits.slice(0, 30)
  expect(rows.map((row) => row.id)).toEqual(found.map(({ id }) => id))
  const better = rerankHits(query, rows, lancedb({ text: 'text' }), { topN: 10 })
  const { order } = rerank(query, {
    vectors: found.map(({ vector }) => vector),
    texts: found.map(({ text }) => text),
  })
  expect(better.map(({ hit }) => hit.id)).toEqual(
    [...order.subarray(0, 10)].map((i) => hits[i]!.id),
  )
  const light = await table
    .query()
    .nearestTo(query.vector)
    .distanceType('dot')
    .select(['id', 'text', '_distance'])
    .limit(200)
    .toArray()
  const statistics = termStatistics(hits.map(({ text }) => text))
  const asked: string[] = []
  const fetched = await rerankFetched(query, light, lancedb({ text: 'text' }), {
    statistics,
    vectors: async (chosen) => {
      asked.push(...chosen.map(({ id }) => id))
      const names = chosen.map(({ id }) => `'${id}'`).join(', ')
      const rows = await table.query().where(`id IN (${names})`).toArray()
      const vectors = new Map(rows.map((row) => [row.id, row.vector.toArray()]))
      return chosen.map(({ id }) => vectors.get(id))
    },
  })
  expect(asked).toHaveLength(50)
  const own = {
    vector: (hit: (typeof hits)[number]) => hit.vector,
    text: (hit: (typeof hits)[number]) => hit.text,
  }
  expect(fetched.map(({ index }) => index)).toEqual(
    rerankHits(query, hits, own, { statistics }).map(({ index }) => index),
  )
  const bare = await table.query().nearestTo(query.vector).select(['id']).limit(3).toArray()
  expect(() => rerankHits(query.vector, bare, lancedb())).toThrow(/select the column vector/)
})

test('reranks hybrid queries of LanceDB, fused by its own reranker or by Kith', async () => {
  const { query: near, hits } = sampleHits(90)
  const query = { ...near, text: 'storms in winter' }
  const table = await (await connect(folder)).createTable('hybrid', hits)
  await table.createIndex('text', { config: Index.fts() })
  const search = () => table.query().nearestTo(query.vector).distanceType('dot')
  const words = () => table.query().fullTextSearch(query.text)
  const hybrid = () => search().fullTextSearch(query.text).limit(20)
  expectTypeOf(lancedbReranker).returns.toExtend<rerankers.Reranker>()

  // Its own: rows have a fused score, the higher the better, and their vectors.
  const fused = await hybrid()
    .rerank(await rerankers.RRFReranker.create())
    .toArray()
  const reader = lancedb({ text: 'text' })
  const scores = fused.map((row) => reader.score!(row))
  expect(scores[0]).toBeCloseTo(fused[0]._relevance_score, 6)
  expect(scores).toEqual([...scores].sort((a, b) => b! - a!))
  expect(rerankHits(query, fused, reader)).toHaveLength(20)

  // Ours: as if the two lists were merged and reranked by hand.
  const lists = await Promise.all([search().limit(20).toArray(), words().limit(20).toArray()])
  const all = mergeHits(lists.map((hits) => ({ hits, reader })))
  expect(all.length).toBeGreaterThan(20)
  const expected = rerankHits(query, all, merged(), { topN: 20 })
  const reranker = lancedbReranker(query.vector, { text: 'text' })
  const rows = await hybrid().rerank(reranker).toArray()
  expect(rows.map((row) => row.id)).toEqual(expected.map(({ hit }) => hit.id))
  expect(rows.map((row) => row._relevance_score)).toEqual(expected.map(({ score }) => score))
  for (const row of rows) {
    const { text, vector } = hits.find(({ id }) => id === row.id)!
    expect([row.text, [...row.vector]]).toEqual([text, vector])
  }

  // No document has the words: the vectors' list is all there is. Nothing at all: no rows.
  const none = await search().fullTextSearch('zebra').rerank(reranker).limit(20).toArray()
  expect(none.map((row) => row.id).sort()).toEqual(lists[0]!.map((row) => row.id).sort())
  const empty = await hybrid().where("id = 'no such'").rerank(reranker).toArray()
  expect(empty).toEqual([])
  const bare = hybrid().select(['id', 'text']).rerank(reranker).toArray()
  await expect(bare).rejects.toThrow(/select the column vector/)
  expect(() => lancedbReranker(query.vector, undefined as never)).toThrow(
    expect.objectContaining({
      code: 'BAD_INPUT',
      message: expect.stringContaining('lancedbReranker'),
    }),
  )
  expect(() => lancedbReranker(query.vector, { texts: 'text' } as never)).toThrow(
    'did you mean text?',
  )
})
