// Better order for the rows of PostgreSQL with pgvector.
// Run it: DATABASE_URL=postgres://… node examples/pgvector.mjs
// (node scripts/postgres/main.mjs start gives you a server; everything here is in a temporary table)
// In your own project: npm install @kith/hits pg
import { loadEncoder } from '@kith/encoder'
import { pgvector, rerankHits } from '@kith/hits'
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

// The five lines: select the vectors too, more rows than you need, and rerank.
const { rows } = await client.query(
  'SELECT id, body, embedding FROM docs ORDER BY embedding <#> $1 LIMIT 50',
  [JSON.stringify([...vector])],
)
const better = rerankHits({ vector, text: question }, rows, pgvector({ text: 'body' }), { topN: 4 })
for (const { hit, score, index } of better) {
  console.log(`${score.toFixed(2)}  ${hit.body} (was ${index + 1})`)
}
await client.end()
