// Labels by many machines: submitted to a database, worked on by whoever reaches it, written as a file.
// Run it: DATABASE_URL=postgres://… node examples/batches.mjs
// (node scripts/postgres/main.mjs start gives you a server)
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
console.log(`${jobs} jobs wait`)
// On as many machines as there are:
const { queries, failures } = await workBatches(
  { store, untilEmpty: true },
  { onRemark: (remark) => console.log(remark) },
)
console.log(`${queries} queries done here, ${failures} tries failed`)
const out = join(folder, 'labels.jsonl')
const exported = await exportBatch({ store, name: 'example', out })
console.log(`${exported.queries} queries in labels.jsonl`)
rmSync(folder, { recursive: true })
