// Make soft labels in parts, for example one per task of a cluster, and merge them.
// Run it: node examples/labels-merge.mjs
// In your own project: npm install @kith/pipelines
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { labelRun, mergeLabels } from '@kith/pipelines/labels'
import { writeTopics } from './data/topics.mjs'

const { files, folder } = await writeTopics()
const shares = []
for (const index of [1, 2]) {
  const out = join(folder, `labels-${index}.jsonl`)
  const { summary } = await labelRun({ ...files, out, shard: { index, count: 2 } })
  console.log(`shard ${index}: ${summary.queries} queries`)
  shares.push(out)
}
const { summary } = await mergeLabels({ shares, out: join(folder, 'labels.jsonl') })
console.log(`merged: ${summary.queries} queries`)
rmSync(folder, { recursive: true })
