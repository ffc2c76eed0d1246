import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import {
  AdapterModel,
  openEncoderModel,
  type PartialTrainSettings,
  readMetrics,
  type TrainingQuery,
  train,
} from '../src/index.ts'
import { trainTable } from '../src/settings.ts'
import { randomDocuments, writeSmallModel } from './support.ts'

const folder = temporaryFolder()
const [HIDDEN, DOCUMENTS] = [8, 24]
const documents = randomDocuments(DOCUMENTS, HIDDEN, 11)
const base = writeSmallModel(join(folder, 'base'), { hidden: HIDDEN })
const queries: TrainingQuery[] = ['red', 'green', 'blue', 'one'].map((word, i) => ({
  id: word,
  text: `the ${word} kith`,
  vector: documents.read((i * 5) % DOCUMENTS, ((i * 5) % DOCUMENTS) + 1),
  relevant: [i + 3],
  retrieved: Array.from({ length: DOCUMENTS }, (_, row) => row),
}))
const quick = { steps: 6, batchSize: 2, listSize: 12, learningRate: 0.05, validateEvery: 1 }

let runs = 0

/** A training's weights and figures, without times. */
async function outcome(settings: PartialTrainSettings, { encoder = false, validated = true } = {}) {
  const out = join(folder, `out-${runs++}`)
  const model = encoder
    ? await openEncoderModel(base)
    : new AdapterModel({ kind: 'linear', dimensions: HIDDEN })
  const validation = validated ? queries : undefined
  const given = { ...quick, ...settings }
  const result = await train({ model, documents, queries, validation, settings: given, out })
  const metrics = await readMetrics(join(out, 'metrics.jsonl'))
  const figures = JSON.stringify([result, metrics], (name, value) =>
    name === 'milliseconds' || name === 'labelShare' ? undefined : value,
  )
  return figures + [...model.weights.values()].map((data) => data.join()).join()
}

/** Another value of each setting, and the settings under which it counts. */
const changes: Record<keyof typeof trainTable, [unknown, PartialTrainSettings?]> = {
  steps: [7],
  batchSize: [3],
  gradientAccumulation: [2],
  listSize: [6],
  skip: [3],
  negativesBelow: [0.1],
  loss: ['infonce'],
  margin: [3, { loss: 'max-margin' }],
  inverseTemperature: [3],
  learnTemperature: [true],
  target: [{ labelDepth: 3 }],
  optimizer: ['radam'],
  beta1: [0.5],
  beta2: [0.5],
  epsilon: [0.1],
  weightDecay: [0.5],
  maxGradNorm: [0.01],
  learningRate: [0.01],
  warmup: [4],
  schedule: ['constant'],
  finalRatio: [0.5],
  patience: [1, { schedule: 'plateau', learningRate: 0.5, steps: 12 }],
  factor: [0.1, { schedule: 'plateau', learningRate: 0.5, steps: 12, patience: 1 }],
  dropout: [0.5],
  validateEvery: [2],
  selectBy: ['loss'],
  earlyStoppingPatience: [1, { learningRate: 0 }],
  refreshEvery: [2],
  seed: [1],
}

test.each(Object.entries(changes))(
  '%s changes the result of a training',
  async (name, [value, under = {}]) => {
    const options = { encoder: name === 'dropout' }
    const before = await outcome(under, options)
    expect(await outcome({ ...under, [name]: value }, options)).not.toBe(before)
  },
)

const refused: [keyof typeof trainTable, unknown, PartialTrainSettings, boolean, string][] = [
  ['margin', 2, {}, true, "it needs loss 'max-margin', not 'kl'"],
  ['finalRatio', 0.5, { schedule: 'constant' }, true, "it needs schedule 'linear', not 'constant'"],
  ['patience', 2, {}, true, "it needs schedule 'plateau', not 'linear'"],
  ['factor', 0.2, {}, true, "it needs schedule 'plateau', not 'linear'"],
  ['schedule', 'plateau', {}, false, "it needs enough held-out queries with 'plateau'"],
  ['selectBy', 'loss', {}, false, 'it needs enough held-out queries'],
  ['earlyStoppingPatience', 2, {}, false, 'it needs enough held-out queries'],
]

test.each(refused)(
  '%s is refused if it has no effect',
  async (name, value, under, validated, reason) => {
    const training = outcome({ ...under, [name]: value }, { validated })
    await expect(training).rejects.toThrow(`setting ${name} has no effect: ${reason}; leave it out`)
  },
)

test('covers every setting with a need', () => {
  const needing = Object.entries(trainTable).filter(([, row]) => row.needs)
  // An adapter takes the dropout of an encoder's settings; `kith train --adapter` refuses it.
  const expected = needing.map(([name]) => name).filter((name) => name !== 'dropout')
  expect(new Set(refused.map(([name]) => name))).toEqual(new Set(expected))
})
