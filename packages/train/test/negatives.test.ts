import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { NegativeFilter } from '../src/data/negatives.ts'
import { AdapterModel, type TrainingJob, type TrainingQuery, train } from '../src/index.ts'
import { scoresOf, sharperThan } from '../src/run/flat-softmax.ts'
import { documentsOf, randomDocuments } from './support.ts'

const folder = temporaryFolder()

/** Documents on a line: the score of a row, for the query 1, is its number. */
const line = documentsOf(Float32Array.from([10, 9.6, 9.4, 8, 2, -1, 12]), 1)
const one = Float32Array.of(1)
const query = (relevant: number[], more: Partial<TrainingQuery> = {}): TrainingQuery => ({
  id: 'q',
  relevant,
  retrieved: [6, 0, 1, 2, 3, 4, 5],
  ...more,
})
const apply = (
  settings: { skip?: number; negativesBelow?: number | null },
  of: TrainingQuery,
  embedding = settings.negativesBelow ? one : undefined,
) => {
  const filter = new NegativeFilter(line, { skip: 0, negativesBelow: null, ...settings })
  return [...filter.apply(of, of.retrieved, embedding)]
}

test('leaves out the first candidates, unless they are labeled', () => {
  expect(apply({ skip: 3 }, query([0]))).toEqual([0, 2, 3, 4, 5])
  const labels = { rows: [1, 4], values: [0.5, 0.5] }
  expect(apply({ skip: 3 }, query([0], { labels }))).toEqual([0, 1, 2, 3, 4, 5])
  expect(apply({ skip: 99 }, query([3]))).toEqual([3])
})

test('limits the score of negatives to a part of the best relevant document’s score', () => {
  // 0.95 × 10 = 9.5.
  expect(apply({ negativesBelow: 0.95 }, query([0]))).toEqual([0, 2, 3, 4, 5])
  expect(apply({ negativesBelow: 0.95 }, query([0, 4]))).toEqual([0, 2, 3, 4, 5])
  // Of a query without a relevant document, the labeled ones.
  const labels = { rows: [0, 4], values: [0.5, 0.5] }
  expect(apply({ negativesBelow: 0.95 }, query([], { labels }))).toEqual([0, 2, 3, 4, 5])
  // The relevant document may be outside the list.
  const outside = query([0], { retrieved: [6, 1, 3] })
  expect(apply({ negativesBelow: 0.95 }, outside)).toEqual([3])
  // Below a negative score: −1 − 0.5 · 1 = −1.5.
  expect(apply({ negativesBelow: 0.5 }, query([5]))).toEqual([5])
  expect(apply({ negativesBelow: 0.95, skip: 5 }, query([0]))).toEqual([0, 4, 5])
  expect(new NegativeFilter(line, { skip: 0, negativesBelow: null }).active).toBe(false)
})

const documents = randomDocuments(40, 6, 3)
const queries: TrainingQuery[] = Array.from({ length: 8 }, (_, i) => ({
  id: `q${i}`,
  vector: documents.read(i, i + 1),
  relevant: [39 - i],
  retrieved: Array.from({ length: 40 }, (_, row) => row),
}))
const jobOf = (out: string, more: Partial<TrainingJob> = {}): TrainingJob => ({
  model: new AdapterModel({ kind: 'linear', dimensions: 6 }),
  documents,
  queries,
  validation: queries,
  out: join(folder, out),
  ...more,
  settings: { steps: 8, batchSize: 4, listSize: 12, validateEvery: 4, ...more.settings },
})
const weightsOf = (out: string) => readFileSync(join(folder, out, 'adapter.safetensors'))

test('trains without the left-out candidates, and resumes with the same candidates', async () => {
  const settings = { steps: 8, negativesBelow: 0.5, skip: 2, refreshEvery: 5 }
  const job = (out: string, more: Partial<TrainingJob> = {}) =>
    jobOf(out, { ...more, validation: undefined })
  await train(job('plain'))
  await train(job('whole', { settings }))
  expect(weightsOf('whole').equals(weightsOf('plain'))).toBe(false)
  const controller = new AbortController()
  const onStep = ({ step }: { step: number }) => {
    if (step === 3) controller.abort()
  }
  await train(job('stopped', { settings, signal: controller.signal, onStep }))
  await train(job('stopped', { settings, resume: true }))
  expect(weightsOf('stopped').equals(weightsOf('whole'))).toBe(true)
})

test('makes labels again for candidates that were searched again', async () => {
  const asked: string[] = []
  const labels = { rows: [1, 2], values: [0.5, 0.5] }
  const own = queries.map((each) => ({ ...each, relevant: [], labels }))
  const search = async () => own.map(() => [30, 31, 32])
  const relabel = ({ id, retrieved }: TrainingQuery) => {
    expect([...(retrieved as Uint32Array)]).toEqual([30, 31, 32])
    asked.push(id)
    return { rows: [31], values: [1] }
  }
  const settings = { steps: 6, refreshEvery: 2 }
  await train(
    jobOf('relabeled', { queries: own, validation: undefined, search, relabel, settings }),
  )
  // After steps 2 and 4, eight queries each.
  expect(asked.length).toBe(16)
  expect(new Set(asked).size).toBe(8)
  await expect(
    train(jobOf('unlabeled', { queries: queries.map((q) => ({ ...q, relevant: [] })) })),
  ).rejects.toMatchObject({ code: 'BAD_INPUT', message: expect.stringContaining('q0') })
  const unjudged = { queries, validation: own }
  await expect(train(jobOf('unjudged', unjudged))).rejects.toMatchObject({ code: 'BAD_INPUT' })
})

test('warns about a nearly flat softmax, and suggests a value', async () => {
  const remarks: string[] = []
  const onRemark = (remark: string) => remarks.push(remark)
  await train(jobOf('flat', { onRemark, settings: { steps: 1, inverseTemperature: 0.01 } }))
  expect(remarks).toEqual([
    expect.stringMatching(
      /^with inverse temperature 0\.01, the softmax .* nearly flat.*; try \d+(\.\d+)?$/,
    ),
  ])
  remarks.length = 0
  await train(jobOf('sharp', { onRemark, settings: { steps: 1, inverseTemperature: 5 } }))
  expect(remarks).toEqual([])
  const lists = [{ rows: Uint32Array.of(0, 1, 2), target: Float64Array.of(1) }]
  const scores = scoresOf({ data: one, dimensions: 1 }, lists, line)
  expect([...scores[0]!].map((score) => score.toFixed(1))).toEqual(['10.0', '9.6', '9.4'])
  expect(sharperThan(0.01, [Float64Array.of(1, 1, 1)])).toBeUndefined()
  expect(sharperThan(1, [Float64Array.of(3)])).toBeUndefined()
  // Scores 0 and 1: at 2 the entropy is 0.53 of the largest, at 1 0.84.
  expect(sharperThan(0.1, [Float64Array.of(0, 1)])).toBe(2)
})
