// Measure runs as trec_eval does, and compare each with the first.
// Run it: node examples/evaluate.mjs
// In your own project: npm install @kith/pipelines
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { evaluateRuns } from '@kith/pipelines/eval'
import { rerankRun } from '@kith/pipelines/rerank'
import { writeTopics } from './data/topics.mjs'

const { files, folder } = await writeTopics()
const better = join(folder, 'better.trec')
await rerankRun({ ...files, qrels: undefined, out: better })
const { evaluations, comparisons } = await evaluateRuns({
  qrels: files.qrels,
  runs: [files.run, better],
  measures: ['nDCG@10'],
})
for (const { name, evaluation } of evaluations) {
  console.log(`${name}: ${evaluation.mean['nDCG@10'].toFixed(4)}`)
}
console.log(`p = ${comparisons.get('better.trec')['nDCG@10'].p.toFixed(2)}`)
rmSync(folder, { recursive: true })
