import { rerank } from '@kith/core'
import { connect } from '@lancedb/lancedb'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../../test/files.ts'
import { lancedb, rerankHits } from '../src/index.ts'
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
  const bare = await table.query().nearestTo(query.vector).select(['id']).limit(3).toArray()
  expect(() => rerankHits(query.vector, bare, lancedb())).toThrow(/select the column vector/)
})
