import { rerank } from '@kith/core'
import pg from 'pg'
import { expect, test } from 'vitest'
import { emptyDatabase, postgres } from '../../../../test/postgres.ts'
import { pgvector, rerankFetched, rerankHits } from '../src/index.ts'
import { sampleHits } from './hits.ts'

const database = emptyDatabase()

test.skipIf(!postgres)('reranks rows of a running PostgreSQL with pgvector', async () => {
  const { query, hits } = sampleHits(60)
  const client = new pg.Client(database.url)
  await client.connect()
  try {
    await client.query(`CREATE EXTENSION vector;
      CREATE TABLE docs (id text, body text, embedding vector(8), half halfvec(8))`)
    for (const { id, text, vector } of hits) {
      const values = [id, text, JSON.stringify(vector)]
      await client.query('INSERT INTO docs VALUES ($1, $2, $3::vector, $3::vector)', values)
    }
    const { rows } = await client.query(
      'SELECT id, body, embedding, half FROM docs ORDER BY embedding <#> $1 LIMIT 30',
      [JSON.stringify(query.vector)],
    )
    const found = hits.slice(0, 30)
    expect(rows.map(({ id }) => id)).toEqual(found.map(({ id }) => id))
    const better = rerankHits(query, rows, pgvector({ text: 'body' }), { topN: 10 })
    const { order } = rerank(query, {
      vectors: found.map(({ vector }) => vector),
      texts: found.map(({ text }) => text),
    })
    const expected = [...order.subarray(0, 10)].map((i) => hits[i]!.id)
    expect(better.map(({ hit }) => hit.id)).toEqual(expected)
    // Half precision moves scores a little.
    const half = rerankHits(query, rows, pgvector({ vector: 'half', text: 'body' }))
    expect(half[0]!.score).toBeCloseTo(better[0]!.score, 2)
    const light = await client.query(
      'SELECT id, body, embedding <#> $1 AS distance FROM docs ORDER BY distance',
      [JSON.stringify(query.vector)],
    )
    const reader = pgvector({ text: 'body', distance: 'distance' })
    const settings = { contextSize: 20, preselect: 60 }
    const fetched = await rerankFetched(query, light.rows, reader, {
      settings,
      vectors: async (chosen) => {
        const ids = chosen.map(({ id }) => id)
        const sql = 'SELECT id, embedding::real[] AS vector FROM docs WHERE id = ANY($1)'
        const { rows } = await client.query(sql, [ids])
        expect(rows).toHaveLength(20)
        const vectors = new Map(rows.map(({ id, vector }) => [id, vector]))
        return ids.map((id) => vectors.get(id))
      },
    })
    const all = { vectors: hits.map(({ vector }) => vector), texts: hits.map(({ text }) => text) }
    expect(fetched.map(({ index }) => index)).toEqual([...rerank(query, all, settings).order])
    const bare = await client.query('SELECT id, body FROM docs LIMIT 3')
    expect(() => rerankHits(query.vector, bare.rows, pgvector())).toThrow(/select the column embed/)
  } finally {
    await client.end()
  }
})
