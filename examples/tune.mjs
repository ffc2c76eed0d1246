// Find out whether reranking helps on this data and with which settings, then rerank with them.
import { rmSync } from 'node:fs'
import { rerankRun } from '@kith/pipelines/rerank'
import { tuneRun } from '@kith/pipelines/tune'
import { writeTurned } from './data/turned.mjs'

const { folder, at } = await writeTurned()
const files = { run: at('run.trec'), queries: at('queries.npy'), docs: at('docs.npy') }
const { tuned, missing } = await tuneRun({
  ...files,
  qrels: at('train.trec'),
  measure: 'nDCG@10',
  out: at('tuned.json'),
})
console.log(`${tuned.verdict}: ${tuned.reason}`)
console.log(`${tuned.queries} queries, ${missing.length} kinds of missing data`)
const { kept, queries } = await rerankRun({ ...files, tuned, out: at('better.trec') })
console.log(kept ? 'keep the original run' : `${queries} queries reranked`)
rmSync(folder, { recursive: true })
