// Train a query adapter from judgments, apply it, and draw its training curve.
import { rmSync } from 'node:fs'
import { adaptQueries, compareTrainings, trainFromFiles } from '@kith/pipelines/train'
import { writeTurned } from './data/turned.mjs'

const { folder, at } = await writeTurned()
const files = { queries: at('queries.npy'), run: at('run.trec') }
const { steps, best } = await trainFromFiles(
  {
    docs: at('docs.npy'),
    adapter: 'linear',
    training: { ...files, qrels: at('train.trec') },
    validation: { ...files, qrels: at('dev.trec') },
    settings: { epochs: 40, learningRate: 0.02, inverseTemperature: 10, selectBy: 'nDCG@10' },
    out: at('trained'),
  },
  { onRemark: (remark) => /^step (0|20|40):/.test(remark) && console.log(remark) },
)
console.log(`${steps} steps, the best weights have nDCG@10 ${best.value.toFixed(2)}`)
const adapter = at('trained')
const { queries } = await adaptQueries({ adapter, queries: files.queries, out: at('adapted.npy') })
console.log(`${queries} queries adapted`)
await compareTrainings({ folders: [adapter], out: at('curves.svg') })
rmSync(folder, { recursive: true })
