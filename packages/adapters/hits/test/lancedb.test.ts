import { rerank, termStatistics } from '@kith/core'
import { connect } from '@lancedb/lancedb'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../../test/files.ts'
import { lancedb, rerankFetched, rerankHits } from '../src/index.ts'
import { sampleHits } from './hits.ts'

const folder = temporaryFolder()

test('rows of a live LanceDB', async () => {
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
