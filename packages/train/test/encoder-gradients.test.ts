import { join } from 'node:path'
import { Tensor } from '@kith/encoder/runtime'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { thorough } from '../../../test/thorough.ts'
import { Dropout } from '../src/graph/dropout.ts'
import { openGraph, weightFeeds } from '../src/graph/session.ts'
import { AdapterModel, openEncoderModel, type QueryModel } from '../src/index.ts'
import { lossNamed } from '../src/losses.ts'
import {
  BIAS,
  buildStep,
  gradientName,
  INVERSE_TEMPERATURE,
  listFeeds,
  ROWS_GRADIENT,
} from '../src/run/training-step.ts'
import { interpret, type Numbers } from './interpreter.ts'
import { slope } from './slope.ts'
import { generator, randomDocuments, type SmallModel, writeSmallModel } from './support.ts'

const folder = temporaryFolder()
const texts = ['dense retrieval of', 'red one']

/** If the tests are thorough, the first two are checked number by number; the others at some numbers. */
const models: (SmallModel & { name: string; dropout?: number; every?: number })[] = [
  { name: 'BERT, mean, length 1', every: thorough ? 1 : 7 },
  {
    name: 'DistilBERT, first',
    family: 'distilbert',
    pooling: 'first',
    normalize: false,
    every: thorough ? 1 : 7,
  },
  {
    name: 'BERT, first, tanh, dropout',
    pooling: 'first',
    activation: 'gelu_new',
    dropout: 0.3,
    every: 9,
  },
  { name: 'RoBERTa, mean', family: 'roberta', every: 5 },
  { name: 'XLM-RoBERTa, first', family: 'xlm-roberta', pooling: 'first', every: 19 },
  { name: 'MPNet, mean', family: 'mpnet', every: 9 },
  { name: 'ModernBERT, mean', family: 'modernbert', every: 9 },
  { name: 'nomic-embed, mean', family: 'nomic_bert', every: 9 },
  { name: 'BERT, mean, relu', normalize: false, activation: 'relu', every: 9 },
]

describe.each(models)('$name', ({ name, dropout = 0, every = 1, ...options }) => {
  test('computes every gradient as finite differences do', async () => {
    const path = writeSmallModel(join(folder, name), { hidden: 4, ...options })
    await checkGradients(await openEncoderModel(path), dropout, every)
  })
})

test.each([
  { name: 'upper BERT, mean', every: 1 },
  { name: 'upper BERT, first, dropout', pooling: 'first', dropout: 0.3, every: 1 },
  { name: 'upper DistilBERT, mean, dropout', family: 'distilbert', dropout: 0.3, every: 3 },
] as const)('$name: computes the gradients from given hidden states', async (options) => {
  const { name, every, ...small } = { dropout: 0, ...options }
  const path = writeSmallModel(join(folder, name), { hidden: 4, ...small })
  const whole = await openEncoderModel(path, { topLayers: 1 })
  const upper = whole.split(join(folder, `${name}.bin`), queriesOf(texts), {})!
  const { learning } = await checkGradients(upper, small.dropout, every)
  expect(new Set(learning)).toEqual(new Set([...whole.trained, INVERSE_TEMPERATURE, BIAS]))
  await upper.remove()
})

test('trains all layers above frozen embeddings', async () => {
  const path = writeSmallModel(join(folder, 'all-layers'), { hidden: 4 })
  const model = await openEncoderModel(path, { topLayers: 2 })
  expect(model.split(join(folder, 'none.bin'), queriesOf(texts), {})).toBeUndefined()
  const { learning } = await checkGradients(model, 0.3, 9)
  expect(learning.filter((name) => name.startsWith('embeddings.'))).toEqual([])
})

test('computes the gradients of adapters', async () => {
  for (const kind of ['linear', 'mlp'] as const) {
    const model = new AdapterModel({ kind, dimensions: 4, normalize: kind === 'mlp' })
    const random = generator(1)
    for (const weight of model.weights.values()) weight.set(Array.from(weight, random))
    await checkGradients(model, 0, 1)
  }
})

function queriesOf(texts: readonly string[]): { id: string; text: string }[] {
  return texts.map((text) => ({ id: text, text }))
}

async function checkGradients(
  model: QueryModel,
  rate: number,
  every: number,
): Promise<{ learning: readonly string[] }> {
  const dropout = new Dropout(rate, 5)
  const { graph, total, learning, learnsTable } = buildStep(model, {
    loss: 'kl',
    margin: 1,
    learnTemperature: true,
    drop: dropout.drop,
  })
  const documents = randomDocuments(6, 4, 3)
  const vectors = randomDocuments(2, 4, 4)
  const queries = texts.map((text, i) => ({ id: text, text, vector: vectors.read(i, i + 1) }))
  const lists = [
    { rows: Uint32Array.of(0, 1, 2, 3), target: Float64Array.of(0.75, 0.25) },
    { rows: Uint32Array.of(4, 0, 5), target: Float64Array.of(1) },
  ]
  const weights = new Map([
    ...model.weights,
    [INVERSE_TEMPERATURE, Float32Array.of(3)],
    [BIAS, Float32Array.of(0.5)],
  ])
  const { size, length, feeds: own } = await model.prepare(queries)
  const feeds: Record<string, Tensor> = {
    ...own,
    ...weightFeeds(graph.parameters, weights),
    ...listFeeds(lists, documents, lossNamed('kl')),
    ...dropout.feeds(9, { batch: size, length, tokens: size * length }),
    shares: new Tensor('float32', Float32Array.of(0.5, 0.5), [2, 1]),
  }
  const values: Record<string, Numbers> = {}
  for (const [name, { dims, data }] of Object.entries(feeds)) {
    values[name] = { shape: [...dims], data: Array.from(data as Float32Array, Number) }
  }
  const lossAt = () => interpret(graph, values, total)[total.name]!.data[0]!
  const exact = interpret(graph, values)
  const rounded = await (await openGraph(graph, {})).run(feeds)
  const wanted = learning.map((name) => [name, gradientName(name)])
  if (learnsTable) wanted.push(['word_rows', ROWS_GRADIENT])
  expect(wanted.length).toBeGreaterThan(2)
  let largest = 0
  for (const [name, gradient] of wanted as [string, string][]) {
    const { data } = values[name]!
    data.forEach((value, i) => {
      if (i % every > 0) return
      const difference = slope(lossAt, (x) => (data[i] = x), value)
      const allowed = 1e-7 * Math.max(1, Math.abs(difference))
      expect(Math.abs(exact[gradient]!.data[i]! - difference), name).toBeLessThan(allowed)
      const ours = (rounded[gradient]!.data as Float32Array)[i]!
      expect(Math.abs(ours - difference), name).toBeLessThan(
        1e-5 * Math.max(1, Math.abs(difference)),
      )
      largest = Math.max(largest, Math.abs(difference))
    })
  }
  expect(largest).toBeGreaterThan(0.01)
  return { learning }
}
