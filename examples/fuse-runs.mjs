// Merge the runs of a vector search and a BM25 search by reciprocal rank fusion.
// Run it: node examples/fuse-runs.mjs
// In your own project: npm install @kith/pipelines
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fuseRuns } from '@kith/pipelines/fuse'
import { writeTopics } from './data/topics.mjs'

const { files, folder } = await writeTopics()
const words = join(folder, 'words.trec')
writeFileSync(words, 'q0 Q0 d3 1 7.1 words\nq0 Q0 d21 2 3.9 words\n')
const { queries, figures } = await fuseRuns({
  runs: [files.run, words],
  weights: [1, 2],
  top: 10,
  qrels: files.qrels,
  measuring: { measures: ['nDCG@10'] },
  out: join(folder, 'fused.trec'),
})
console.log(`${queries} queries`)
for (const { name, evaluation } of figures.evaluations) {
  console.log(`${name}: ${evaluation.mean['nDCG@10'].toFixed(4)}`)
}
rmSync(folder, { recursive: true })
