// Make soft training labels from sparse judgments: similar documents get a part of the probability.
// Run it: node examples/labels.mjs
// In your own project: npm install @kith/pipelines
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { labelRun } from '@kith/pipelines/labels'
import { writeTopics } from './data/topics.mjs'

const { files, folder } = await writeTopics()
const { out, summary } = await labelRun(
  { ...files, out: join(folder, 'labels.jsonl'), settings: { contextSize: 12, labelDepth: 4 } },
  { onProgress: ({ stage, done, total }) => console.log(`${stage}: ${done} of ${total}`) },
)
const share = summary.groundTruthMass / summary.queries
console.log(`${summary.queries} queries, ${share.toFixed(2)} on judged documents`)
const [first] = readFileSync(out, 'utf8').split('\n')
const { query, docs, labels } = JSON.parse(first)
docs.forEach((id, i) => {
  console.log(`${query} ${id} ${labels[i].toFixed(2)}`)
})
rmSync(folder, { recursive: true })
