// Rerank a run, with measures before and after.
// Run it: node examples/rerank-run.mjs
// In your own project: npm install @kith/pipelines
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { rerankRun } from '@kith/pipelines/rerank'
import { writeTopics } from './data/topics.mjs'

const { files, folder } = await writeTopics()
const { queries, missing, figures } = await rerankRun(
  { ...files, out: join(folder, 'better.trec'), measuring: { measures: ['nDCG@10'] } },
  { onProgress: ({ stage, done, total }) => console.log(`${stage}: ${done} of ${total}`) },
)
console.log(`${queries} queries, ${missing.length} kinds of missing data`)
console.log(figures.verdict)
rmSync(folder, { recursive: true })
