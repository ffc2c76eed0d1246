// Find settings that train the best adapter: each trial is a training, and bad trials end early.
import { rmSync } from 'node:fs'
import { tuneTraining } from '@kith/pipelines/train'
import { writeTurned } from './data/turned.mjs'

const { folder, at } = await writeTurned()
const files = { queries: at('queries.npy'), run: at('run.trec') }
const { winner, first, settings } = await tuneTraining(
  {
    docs: at('docs.npy'),
    adapter: 'mlp',
    training: { ...files, qrels: at('train.trec') },
    validation: { ...files, qrels: at('dev.trec') },
    settings: { steps: 20, validateEvery: 5, learningRate: 0.005, inverseTemperature: 10 },
    trials: 6,
    out: at('tuned'),
  },
  { onRemark: (remark) => remark.startsWith('trial') && console.log(remark) },
)
console.log(
  `nDCG@10 ${first.value.toFixed(2)} with the given settings, ${winner.value.toFixed(2)} with the best`,
)
console.log(`learning rate ${settings.learningRate.toPrecision(2)}`)
rmSync(folder, { recursive: true })
