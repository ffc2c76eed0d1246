// Draw a measure against the context size and every setting.
import { rmSync } from 'node:fs'
import { basename } from 'node:path'
import { sweepRun } from '@kith/pipelines/tune'
import { writeTurned } from './data/turned.mjs'

const { folder, at } = await writeTurned()
const { files, figures } = await sweepRun({
  run: at('run.trec'),
  queries: at('queries.npy'),
  docs: at('docs.npy'),
  qrels: at('train.trec'),
  settings: { contextSize: 40, lambda: 0.5 },
  out: at('sweep'),
})
const { points, baseline } = figures[0]
console.log(`not reranked: ${baseline.toFixed(3)}`)
for (const { size, mean } of points) console.log(`${size} candidates: ${mean.toFixed(3)}`)
console.log(files.map((file) => basename(file)).join(', '))
rmSync(folder, { recursive: true })
