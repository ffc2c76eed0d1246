// Find the nearest documents of each query by exact search, and write a run. A signal can stop the search.
// Run it: node examples/search-run.mjs
// In your own project: npm install @kith/pipelines
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { searchRun } from '@kith/pipelines/search'
import { writeTopics } from './data/topics.mjs'

const { files, folder } = await writeTopics()
const { out, queries, documents } = await searchRun(
  { queries: files.queries, docs: files.docs, top: 2, out: join(folder, 'found.trec') },
  { signal: AbortSignal.timeout(60_000) },
)
console.log(`${queries} queries, ${documents} documents`)
console.log(readFileSync(out, 'utf8').split('\n')[0])
rmSync(folder, { recursive: true })
