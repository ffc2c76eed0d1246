import { smoothLabels } from '@kith/core'
import { Graph } from '@kith/encoder/internal'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { Batches } from '../src/data/examples.ts'
import { candidatesOf, FixedLabels, LiveLabels } from '../src/data/targets.ts'
import { Dropout } from '../src/graph/dropout.ts'
import { AdapterModel, type TrainingQuery, train } from '../src/index.ts'
import { validate } from '../src/run/validate.ts'
import { randomDocuments } from './support.ts'

const documents = randomDocuments(30, 6, 2)
const query: TrainingQuery = {
  id: 'q',
  vector: documents.read(7, 8),
  relevant: [9, 4],
  grades: [2, 1],
  retrieved: [3, 4, 5, 6, 7, 8, 1, 2],
}

test('puts labeled candidates first, then the retrieved ones, each once', () => {
  expect([...candidatesOf('q', [9, 4], query.retrieved, 6)]).toEqual([9, 4, 3, 5, 6, 7])
  expect([...candidatesOf('q', [9, 4], [], 6)]).toEqual([9, 4])
  expect([...candidatesOf('q', [9, 4, 2], [], 2)]).toEqual([9, 4])
  expect(() => candidatesOf('q', [], [1], 6)).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining('query q') }),
  )
})

test('uses the given labels, or equal shares of the ground truth', () => {
  const fixed = new FixedLabels(5)
  expect(fixed.label(query).target).toEqual(Float64Array.of(0.5, 0.5))
  const labels = { rows: [5, 9, 1], values: [0.6, 0.4, 0] }
  const { rows, target } = fixed.label({ ...query, labels })
  expect([...rows]).toEqual([5, 9, 3, 4, 6])
  expect([...target]).toEqual([0.6, 0.4])
  const many = { rows: [5, 9, 1], values: [0.5, 0.25, 0.25] }
  const cut = new FixedLabels(2).label({ ...query, labels: many })
  expect([...cut.target].map((value) => value.toFixed(4))).toEqual(['0.6667', '0.3333'])
})

test('computes live labels from the current context', () => {
  const settings = { contextSize: 5, k: 3, labelDepth: 3, metric: 'cosine' } as const
  const live = new LiveLabels(settings, 7, documents)
  expect(live.needsEmbedding).toBe(true)
  const { rows, target } = live.label(query, query.vector)
  expect([...rows]).toEqual([9, 4, 3, 5, 6, 7, 8])
  const data = documents.gather([9, 4, 3, 5, 6])
  const candidates = { data, rows: 5, dimensions: 6 }
  const truth = { candidates: [0, 1], grades: [2, 1] }
  const expected = smoothLabels(query.vector!, candidates, truth, settings)
  expect(target).toHaveLength(5)
  expect([...expected.kept].map((candidate) => target[candidate])).toEqual([...expected.target])
  expect(target.filter((value) => value > 0)).toHaveLength(3)
  for (const [name, needs] of [
    ['one-hot', false],
    ['geometric', true],
  ] as const) {
    expect(new LiveLabels({ target: name }, 7, documents).needsEmbedding).toBe(needs)
  }
})

test('uses every example once per epoch, in an order that depends on the seed and the epoch', () => {
  const batches = new Batches(10, 4, 1)
  const seen = Array.from({ length: 5 }, (_, i) => batches.at(i)).flat()
  const epochs = [seen.slice(0, 10), seen.slice(10)]
  for (const epoch of epochs) expect([...epoch].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(epochs[0]).not.toEqual(epochs[1])
  expect(new Batches(10, 4, 1).at(3)).toEqual(batches.at(3))
  expect(new Batches(10, 4, 2).at(0)).not.toEqual(batches.at(0))
})

test('keeps the mean with dropout, which depends on the number of the batch', () => {
  const dropout = new Dropout(0.25, 3)
  const graph = new Graph()
  dropout.drop!(graph.input('x', 'float32', ['tokens', 50]), 'hidden')
  const mask = (batch: number) =>
    dropout.feeds(batch, { tokens: 200 })['dropout_0']!.data as Float32Array
  const values = mask(4)
  expect(new Set(values)).toEqual(new Set([0, Math.fround(4 / 3)]))
  expect(values.reduce((sum, value) => sum + value, 0) / values.length).toBeCloseTo(1, 1)
  expect(mask(4)).toEqual(values)
  expect(mask(5)).not.toEqual(values)
  expect(new Dropout(0, 3).drop).toBeUndefined()
})

test('validates the loss on lists with the ground truth, and the measures on retrieved documents', () => {
  const embeddings = { data: query.vector!, rows: 1, dimensions: 6 }
  const { loss, measures } = validate([query], embeddings, documents, {
    listSize: 8,
    inverseTemperature: 2,
  })
  const score = (row: number) => {
    const vector = documents.read(row, row + 1)
    return vector.reduce((sum, value, i) => sum + value * query.vector![i]!, 0)
  }
  const rows = [9, 4, 3, 5, 6, 7, 8, 1]
  const total = rows.reduce((sum, row) => sum + Math.exp(2 * score(row)), 0)
  const share = (row: number) => Math.exp(2 * score(row)) / total
  const expected = 0.5 * Math.log(0.5 / share(9)) + 0.5 * Math.log(0.5 / share(4))
  expect(loss).toBeCloseTo(expected, 5)
  const ranked = [3, 4, 5, 6, 7, 8, 1, 2].sort((a, b) => score(b) - score(a))
  const place = ranked.indexOf(4) + 1
  expect(measures['MRR@10']).toBeCloseTo(1 / place, 10)
  expect(measures['Recall@10']).toBe(0.5)
  const gain = 1 / Math.log2(place + 1) / (2 + 1 / Math.log2(3))
  expect(measures['nDCG@10']).toBeCloseTo(gain, 10)
  const nothing = validate([{ ...query, retrieved: [] }], embeddings, documents, {
    listSize: 8,
    inverseTemperature: 2,
  })
  expect(nothing.measures['MRR@10']).toBe(0)
})

test('searches candidates again with the current model', async () => {
  const folder = temporaryFolder()
  const asked: number[][] = []
  const model = new AdapterModel({ kind: 'linear', dimensions: 6 })
  await train({
    model,
    documents,
    queries: [query],
    out: folder,
    settings: { steps: 7, batchSize: 1, listSize: 5, refreshEvery: 3, learningRate: 0.1 },
    search: async ({ data }) => {
      asked.push([...data])
      return [[11, 12, 13]]
    },
  })
  expect(asked).toHaveLength(2)
  expect(asked[0]).not.toEqual([...query.vector!])
  expect(asked[0]).not.toEqual(asked[1])
})
