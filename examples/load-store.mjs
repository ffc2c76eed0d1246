// Load documents into LanceDB, and rerank from there.
// Run it: node examples/load-store.mjs
// In your own project: npm install @kith/pipelines @lancedb/lancedb apache-arrow
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { loadStore } from '@kith/pipelines/load'
import { rerankRun } from '@kith/pipelines/rerank'
import { writeTopics } from './data/topics.mjs'

const { files, folder } = await writeTopics()
const { run, queries, docs, qrels } = files
const store = join(folder, 'lance')
const { documents } = await loadStore({ store, docs })
console.log(`the store has ${documents} documents`)
const { figures } = await rerankRun({
  run,
  queries,
  qrels,
  store,
  out: join(folder, 'better.trec'),
})
console.log(figures.verdict)
rmSync(folder, { recursive: true })
