// Hits of a real sqlite-vec table, reranked; Node 22 has SQLite built in.
import { DatabaseSync } from 'node:sqlite'
import { rerankHits, sqliteVec } from '@kith/hits'
import { load } from 'sqlite-vec'

const query = { vector: [0.9, 0.1, 0.2], text: 'how do bees find flowers' }
const documents = [
  { text: 'Beekeeping tools and hives', vector: [0.9, 0.12, 0.25] },
  { text: 'Bees find flowers by color and scent', vector: [0.88, 0.11, 0.29] },
  { text: 'Flowers guide bees with ultraviolet patterns', vector: [0.85, 0.12, 0.33] },
  { text: 'The price of honey in winter', vector: [0.5, 0.8, 0.1] },
]
const bytes = (vector) => new Uint8Array(Float32Array.from(vector).buffer)
const database = new DatabaseSync(':memory:', { allowExtension: true })
load(database)
database.exec('CREATE VIRTUAL TABLE notes USING vec0(embedding float[3], +body text)')
const insert = database.prepare('INSERT INTO notes (rowid, embedding, body) VALUES (?, ?, ?)')
documents.forEach(({ text, vector }, i) => {
  insert.run(BigInt(i), bytes(vector), text)
})
const rows = database
  .prepare('SELECT rowid, distance, embedding, body FROM notes WHERE embedding MATCH ? AND k = 4')
  .all(bytes(query.vector))
console.log(
  JSON.stringify({
    found: rows.map(({ rowid }) => rowid),
    reranked: rerankHits(query, rows, sqliteVec({ text: 'body' })).map(({ hit }) => hit.rowid),
  }),
)
