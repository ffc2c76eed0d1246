// Make soft labels on many machines: submit a batch to PostgreSQL, work on it, export the file.
// Run it: DATABASE_URL=postgres://… node examples/batches.mjs
// (node scripts/postgres/main.mjs start starts a server)
// In your own project: npm install @kith/pipelines
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { exportBatch, workBatches } from '@kith/pipelines/batches'
import { submitLabels } from '@kith/pipelines/labels'
import { loadStore } from '@kith/pipelines/load'
import { writeTopics } from './data/topics.mjs'

const { files, folder } = await writeTopics()
const { docs, ...rest } = files
const store = `${process.env.DATABASE_URL}#examples`
await loadStore({ store, docs })
const { jobs } = await submitLabels({ ...rest, store }, { name: 'example', jobSize: 2 })
console.log(`${jobs} jobs submitted`)
// On each machine:
const { queries, failures } = await workBatches(
  { store, untilEmpty: true },
  { onRemark: (remark) => console.log(remark) },
)
console.log(`${queries} queries done, ${failures} failed attempts`)
const out = join(folder, 'labels.jsonl')
const exported = await exportBatch({ store, name: 'example', out })
console.log(`${exported.queries} queries in labels.jsonl`)
rmSync(folder, { recursive: true })
