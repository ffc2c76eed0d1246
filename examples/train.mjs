// A linear adapter of query embeddings learns from judgments, is tested on held-out queries, and is applied.
import { rmSync } from 'node:fs'
import { adaptQueries, fitAdapterFiles } from '@kith/pipelines/train'
import { writeTurned } from './data/turned.mjs'

const { folder, at } = await writeTurned()
const queries = at('queries.npy')
const { heldOut, keepsOld } = await fitAdapterFiles({
  docs: at('docs.npy'),
  training: { queries, run: at('run.trec'), qrels: at('train.trec') },
  // With so few queries, less shrinkage to the identity is better than the default.
  settings: { shrinkage: 1 },
  out: at('adapter'),
})
const { before, after } = heldOut.measures['nDCG@10']
console.log(
  `${heldOut.queries} held-out queries: nDCG@10 ${before.toFixed(2)} before, ${after.toFixed(2)} after`,
)
console.log(keepsOld ? 'keep the old embeddings' : 'use the adapter')
const adapted = await adaptQueries({ adapter: at('adapter'), queries, out: at('adapted.npy') })
console.log(`${adapted.queries} queries adapted`)
rmSync(folder, { recursive: true })
