// Rerank rows of PostgreSQL with pgvector.
// Run it: DATABASE_URL=postgres://… node examples/pgvector.mjs
// (node scripts/postgres/main.mjs start starts a server; this program uses a temporary table only)
// In your own project: npm install @kith/hits @kith/core pg
import { termStatistics } from '@kith/core'
import { loadEncoder } from '@kith/encoder'
import { merged, mergeHits, pgvector, rerankFetched, rerankHits } from '@kith/hits'
import pg from 'pg'
import { passages, question } from './data/passages.mjs'

const encoder = await loadEncoder('minilm')
const { data, dimensions } = await encoder.encode(passages)
const vector = (await encoder.encode([question], { role: 'query' })).data
await encoder.close()

const client = new pg.Client(process.env.DATABASE_URL)
await client.connect()
await client.query('CREATE EXTENSION IF NOT EXISTS vector')
await client.query(
  `CREATE TEMPORARY TABLE docs (id serial, body text, embedding vector(${dimensions}))`,
)
for (const [i, body] of passages.entries()) {
  const embedding = JSON.stringify([...data.subarray(i * dimensions, (i + 1) * dimensions)])
  await client.query('INSERT INTO docs (body, embedding) VALUES ($1, $2)', [body, embedding])
}

// Select more rows than you need, with their vectors, and rerank.
const { rows } = await client.query(
  'SELECT id, body, embedding FROM docs ORDER BY embedding <#> $1 LIMIT 50',
  [JSON.stringify([...vector])],
)
const better = rerankHits({ vector, text: question }, rows, pgvector({ text: 'body' }), { topN: 4 })
for (const { hit, score, index } of better) {
  console.log(`${score.toFixed(2)}  ${hit.body} (was ${index + 1})`)
}

// With term statistics: Kith chooses from up to 200 rows by words and distances, and fetches the
// vectors of the chosen rows only (50 by default, here 8).
const light = await client.query(
  'SELECT id, body, embedding <#> $1 AS distance FROM docs ORDER BY distance LIMIT 200',
  [JSON.stringify([...vector])],
)
const reader = pgvector({ text: 'body', distance: 'distance' })
const chosen = await rerankFetched({ vector, text: question }, light.rows, reader, {
  topN: 4,
  statistics: termStatistics(passages),
  settings: { contextSize: 8 },
  vectors: async (hits) => {
    const ids = hits.map(({ id }) => id)
    const sql = 'SELECT id, embedding::real[] AS vector FROM docs WHERE id = ANY($1)'
    const found = new Map((await client.query(sql, [ids])).rows.map((row) => [row.id, row.vector]))
    console.log(`fetched ${found.size} of ${light.rows.length} vectors`)
    return ids.map((id) => found.get(id))
  },
})
for (const { hit, score, index } of chosen) {
  console.log(`${score.toFixed(2)}  ${hit.body} (was ${index + 1})`)
}

// Two searches: PostgreSQL's text search finds rows that vector search misses. mergeHits merges both
// lists by the column id.
const words = await client.query(
  `SELECT id, body, embedding FROM docs, to_tsvector('english', body) AS terms,
     CAST(replace(plainto_tsquery('english', $1)::text, '&', '|') AS tsquery) AS asked
   WHERE terms @@ asked ORDER BY ts_rank(terms, asked) DESC LIMIT 50`,
  [question],
)
const lists = [rows.slice(0, 6), words.rows]
const both = mergeHits(lists.map((hits) => ({ hits, reader })))
console.log(
  `${lists[0].length} rows by vectors and ${lists[1].length} by words, ${both.length} merged`,
)
for (const { hit } of rerankHits({ vector, text: question }, both, merged(), { topN: 4 })) {
  const ranks = hit.hits.map((row, i) => lists[i].indexOf(row) + 1 || 'none')
  console.log(`${hit.text} (ranks ${ranks})`)
}
await client.end()
