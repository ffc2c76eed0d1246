import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadEncoder } from '@kith/encoder'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import {
  AdapterModel,
  openAdapter,
  openEncoderModel,
  type PartialTrainSettings,
  QueryEncoder,
  type QueryModel,
  readMetrics,
  type TrainingJob,
  type TrainingQuery,
  train,
} from '../src/index.ts'
import { lossNames } from '../src/losses.ts'
import { memoryError } from '../src/run/training-step.ts'
import { documentsOf, randomDocuments, writeSmallModel } from './support.ts'

const folder = temporaryFolder()
const [HIDDEN, DOCUMENTS] = [8, 24]
const documents = randomDocuments(DOCUMENTS, HIDDEN, 11)
const base = writeSmallModel(join(folder, 'base'), { hidden: HIDDEN })

const words = ['red', 'green', 'blue', 'one', 'two', 'three', 'dense', 'query']
/** Each query has one relevant document, which no encoder could guess. */
const queries: TrainingQuery[] = words.map((word, i) => ({
  id: word,
  text: `the ${word} kith`,
  vector: documents.read((i * 5) % DOCUMENTS, ((i * 5) % DOCUMENTS) + 1),
  relevant: [i],
  retrieved: Array.from({ length: DOCUMENTS }, (_, row) => row),
}))

const quick: PartialTrainSettings = {
  steps: 60,
  batchSize: 4,
  listSize: 16,
  inverseTemperature: 5,
  learningRate: 0.02,
  warmup: 5,
  validateEvery: 20,
  dropout: 0,
}
let runs = 0
const out = () => join(folder, `out-${runs++}`)
const job = (model: QueryModel, settings: PartialTrainSettings = {}): TrainingJob => ({
  model,
  documents,
  queries,
  validation: queries,
  settings: { ...quick, ...settings },
  out: out(),
})

async function weightsAfter(training: TrainingJob): Promise<Map<string, Float32Array>> {
  await train(training)
  return new Map([...training.model.weights].map(([name, data]) => [name, data.slice()]))
}

describe.each(lossNames)('the loss %s', (loss) => {
  test('trains an encoder', async () => {
    const settings = { loss, selectBy: 'nDCG@10', schedule: 'constant' } as const
    const training = job(await openEncoderModel(base), settings)
    const { steps, ended, best } = await train(training)
    expect([steps, ended]).toEqual([60, 'done'])
    const records = await readMetrics(join(training.out, 'metrics.jsonl'))
    const losses = records.flatMap((record) => (record.kind === 'step' ? [record.loss] : []))
    const found = records.flatMap((r) => (r.kind === 'validation' ? [r.measures['nDCG@10']!] : []))
    expect(losses).toHaveLength(60)
    expect(mean(losses.slice(-5))).toBeLessThan(0.5 * mean(losses.slice(0, 5)))
    expect(found[0]).toBeLessThan(0.6)
    expect(best!.value).toBe(Math.max(...found))
    expect(best!.value).toBeGreaterThan(0.9)
  })
})

test.each(['linear', 'mlp'] as const)(
  'starts a %s adapter at the identity, and trains it',
  async (kind) => {
    const model = new AdapterModel({ kind, dimensions: HIDDEN })
    const before = await QueryEncoder.open(model)
    const { data } = await before.encode(queries)
    expect(data).toEqual(Float32Array.from(queries.flatMap(({ vector }) => [...vector!])))
    const training = job(model, { selectBy: 'nDCG@10' })
    const { best } = await train(training)
    expect(best!.value).toBeGreaterThan(0.9)
    const loaded = await openAdapter(training.out)
    const [ours, theirs] = await Promise.all(
      [model, loaded].map(
        async (each) => (await (await QueryEncoder.open(each)).encode(queries)).data,
      ),
    )
    expect(theirs).toEqual(ours)
    await expect(openAdapter(base)).rejects.toMatchObject({ code: 'BAD_FILE' })
  },
)

test('loads the saved folder as its base model, with the trained weights', async () => {
  const model = await openEncoderModel(base)
  const training = job(model)
  await train(training)
  const encoder = await loadEncoder(training.out, { threads: 1 })
  const texts = queries.map(({ text }) => text!)
  const loaded = await encoder.encode(texts, { role: 'query' })
  encoder.close()
  const own = await (await QueryEncoder.open(model)).encode(queries)
  loaded.data.forEach((value, i) => {
    expect(Math.abs(value - own.data[i]!)).toBeLessThan(1e-5)
  })
  const [old, saved] = [base, training.out].map((at) => header(join(at, 'model.safetensors')))
  expect(Object.keys(saved!)).toEqual(Object.keys(old!))
})

test('keeps frozen layers bit for bit', async () => {
  const before = await openEncoderModel(base)
  const model = await openEncoderModel(base, { topLayers: 1 })
  await train(job(model))
  for (const [name, weight] of model.weights) {
    const same = Buffer.compare(bytes(weight), bytes(before.weights.get(name)!)) === 0
    expect(same, name).toBe(!name.startsWith('encoder.layer.1.'))
  }
  await expect(openEncoderModel(base, { topLayers: 3 })).rejects.toMatchObject({
    code: 'BAD_SETTING',
  })
})

describe.each([
  { optimizer: 'adamw', schedule: 'linear', refreshEvery: 0 },
  {
    optimizer: 'radam',
    schedule: 'plateau',
    refreshEvery: 7,
    learnTemperature: true,
    target: { contextSize: 12, k: 3 },
  },
] as const)('$optimizer, $schedule', (settings) => {
  test('a stopped and resumed training ends with the same bits', async () => {
    const all = { ...settings, dropout: 0.2, gradientAccumulation: 2, steps: 24, validateEvery: 5 }
    const whole = await weightsAfter({ ...job(await openEncoderModel(base), all), threads: 2 })
    const stopped = { ...job(await openEncoderModel(base), all), threads: 2 }
    const stop = new AbortController()
    const onStep = ({ step }: { step: number }) => step === 11 && stop.abort()
    const { ended, steps } = await train({ ...stopped, onStep, signal: stop.signal })
    expect([ended, steps]).toEqual(['stopped', 11])
    expect(existsSync(join(stopped.out, 'model.safetensors'))).toBe(false)
    const model = await openEncoderModel(base)
    const resumed = await weightsAfter({ ...stopped, model, resume: true })
    for (const [name, weight] of whole) {
      expect(Buffer.compare(bytes(weight), bytes(resumed.get(name)!)), name).toBe(0)
    }
    const records = await readMetrics(join(stopped.out, 'metrics.jsonl'))
    const steps24 = records.flatMap((record) => (record.kind === 'step' ? [record.step] : []))
    expect(steps24).toEqual(Array.from({ length: 24 }, (_, i) => i + 1))
  })
})

test('repeats only the steps since the last checkpoint after a crash', async () => {
  const all = { dropout: 0.1, steps: 16, validateEvery: 6 }
  const whole = await weightsAfter(job(await openEncoderModel(base), all))
  const crashed = job(await openEncoderModel(base), all)
  const onStep = ({ step }: { step: number }) => {
    if (step === 10) throw new Error('crash')
  }
  await expect(train({ ...crashed, onStep })).rejects.toThrow('crash')
  const resumed = await weightsAfter({
    ...crashed,
    model: await openEncoderModel(base),
    resume: true,
  })
  for (const [name, weight] of whole) expect(bytes(resumed.get(name)!)).toEqual(bytes(weight))
})

test('computes the same with accumulated gradients as with one large batch', async () => {
  const [one, several] = await Promise.all(
    [{ batchSize: 8 }, { batchSize: 2, gradientAccumulation: 4 }].map(async (settings) =>
      weightsAfter(job(await openEncoderModel(base), { ...settings, steps: 5, epsilon: 1e-4 })),
    ),
  )
  for (const [name, weight] of one!) {
    weight.forEach((value, i) => {
      expect(Math.abs(value - several!.get(name)![i]!), name).toBeLessThan(1e-4)
    })
  }
})

test('learns targets from evidence, which differ from one-hot targets', async () => {
  const target = { target: 'mixed', contextSize: 12, k: 3, labelDepth: 3 } as const
  const losses = await Promise.all(
    [target, { target: 'one-hot' } as const, null].map(async (each) => {
      const seen: number[] = []
      const training = job(await openEncoderModel(base), { target: each, steps: 10 })
      await train({ ...training, onStep: ({ loss }) => seen.push(loss) })
      return seen
    }),
  )
  expect(losses[1]).toEqual(losses[2])
  expect(losses[0]).not.toEqual(losses[1])
})

test('learns existing labels unchanged', async () => {
  const labels = { rows: [20, 3], values: [0.75, 0.25] }
  const model = new AdapterModel({ kind: 'linear', dimensions: HIDDEN })
  const own = { ...queries[0]!, labels }
  const training = { ...job(model, { batchSize: 1, steps: 200, weightDecay: 0 }), queries: [own] }
  await train({ ...training, validation: undefined })
  const { data } = await (await QueryEncoder.open(model)).encode([own])
  const scores = Array.from({ length: 16 }, (_, i) => {
    const row = i === 0 ? 20 : i === 1 ? 3 : i - 2 + (i - 2 >= 3 ? 1 : 0)
    const vector = documents.read(row, row + 1)
    return Math.exp(5 * vector.reduce((sum, value, j) => sum + value * data[j]!, 0))
  })
  const total = scores.reduce((sum, score) => sum + score, 0)
  expect(scores[0]! / total).toBeCloseTo(0.75, 1)
  expect(scores[1]! / total).toBeCloseTo(0.25, 1)
})

test('reports the learning rate of the schedule for each step, not the peak', async () => {
  const moved = async (settings: PartialTrainSettings) => {
    const model = new AdapterModel({ kind: 'linear', dimensions: HIDDEN })
    const one = { steps: 1, weightDecay: 0, selectBy: 'loss', ...settings }
    const weights = await weightsAfter(job(model, one))
    return Math.max(...[...weights.values()].flatMap((data) => Array.from(data, Math.abs)))
  }
  // Adam's first step moves a weight that has a gradient by the rate.
  expect(await moved({ warmup: 0, schedule: 'constant' })).toBeCloseTo(0.02, 5)
  expect(await moved({ warmup: 4 })).toBeCloseTo(0.005, 5)
  // The last rate of a linear schedule.
  expect(await moved({ warmup: 0, finalRatio: 0.1 })).toBeCloseTo(0.002, 5)
})

test('stops early when the validation does not improve', async () => {
  const settings = { earlyStoppingPatience: 2, validateEvery: 3, learningRate: 0 }
  const result = await train(
    job(new AdapterModel({ kind: 'linear', dimensions: HIDDEN }), settings),
  )
  expect(result).toMatchObject({ ended: 'early', steps: 6, best: { step: 0 } })
})

test('ends the training if the loss is NaN, and keeps the checkpoint before', async () => {
  const memory = randomDocuments(DOCUMENTS, HIDDEN, 11).read(0, DOCUMENTS)
  const adapter = () => new AdapterModel({ kind: 'linear', dimensions: HIDDEN })
  const training = {
    ...job(adapter(), { validateEvery: 4 }),
    documents: documentsOf(memory, HIDDEN),
  }
  const onStep = ({ step }: { step: number }) => {
    if (step === 9) memory[0] = Number.NaN
  }
  const failed = train({ ...training, onStep })
  await expect(failed).rejects.toMatchObject({
    code: 'DIVERGED',
    message: expect.stringMatching(/training stopped at step 1\d: the loss is NaN; .*latest/),
  })
  const resumed = await train({ ...training, documents, model: adapter(), resume: true })
  expect(resumed.steps).toBe(60)
})

test('reports that a learning rate that is far too high makes the training diverge', async () => {
  const model = new AdapterModel({ kind: 'mlp', dimensions: HIDDEN, inner: 2 * HIDDEN })
  const settings = { learningRate: 1e30, warmup: 0, validateEvery: 100 }
  const failed = train({ ...job(model, settings), validation: undefined })
  await expect(failed).rejects.toMatchObject({
    code: 'DIVERGED',
    message: expect.stringContaining('lower the learning rate'),
  })
})

test('refuses to encode after the query encoder was closed', async () => {
  const model = new AdapterModel({ kind: 'linear', dimensions: HIDDEN })
  const encoder = await QueryEncoder.open(model)
  await encoder[Symbol.asyncDispose]()
  await encoder.close()
  await expect(encoder.encode(queries)).rejects.toMatchObject({ code: 'CLOSED' })
  model.weights.get('up.weight')!.fill(Number.NaN)
  await using broken = await QueryEncoder.open(model)
  await expect(broken.encode(queries)).rejects.toMatchObject({
    code: 'DIVERGED',
    message: expect.stringMatching(/^the embedding of query red contains NaN/),
  })
})

test('reports a batch that does not fit into memory', async () => {
  const model = new AdapterModel({ kind: 'linear', dimensions: HIDDEN })
  // More candidates than any machine has memory for.
  const rows = { length: 2 ** 45 } as Uint32Array
  const labeler = { needsEmbedding: false, label: () => ({ rows, target: Float64Array.of(1) }) }
  await expect(train({ ...job(model), labeler })).rejects.toMatchObject({ code: 'OUT_OF_MEMORY' })
  // What onnxruntime says when it has none.
  const said =
    'void* onnxruntime::BFCArena::AllocateRawInternal(size_t) Failed to allocate memory for requested buffer of size 402653184'
  expect(memoryError(new Error(said))).toMatchObject({
    code: 'OUT_OF_MEMORY',
    message: expect.stringContaining('(Failed to allocate memory for requested buffer of size 402'),
  })
  const other = new Error('another')
  expect(memoryError(other)).toBe(other)
})

test('names wrong inputs', async () => {
  const adapter = () => new AdapterModel({ kind: 'linear', dimensions: HIDDEN })
  const failing = (change: Partial<TrainingJob>, settings: PartialTrainSettings = {}) =>
    expect(train({ ...job(adapter(), settings), ...change })).rejects
  await failing({ queries: [] }).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }))
  await failing({ documents: randomDocuments(4, 6, 1) }).toThrow(
    expect.objectContaining({ code: 'BAD_SHAPE' }),
  )
  const other = { ...queries[0]!, relevant: [99] }
  await failing({ queries: [other] }).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining('99') }),
  )
  await failing({ queries: [{ ...other, relevant: [] }] }).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining('red') }),
  )
  await failing({}, { selectBy: 'accuracy' }).toMatchObject({ code: 'BAD_SETTING' })
  await failing({}, { learningRate: -1 }).toMatchObject({ code: 'BAD_SETTING' })
  await failing({}, { batchsize: 3 } as PartialTrainSettings).toThrow(
    'unknown setting "batchsize", did you mean batchSize?',
  )
  await failing({ device: 'tpu' }).toThrow(
    expect.objectContaining({ code: 'BAD_SETTING', message: expect.stringContaining('"tpu"') }),
  )
  await failing({ queries: queries.map(({ vector, ...query }) => query) }).toThrow(
    'has 0 dimensions',
  )
  const twice = { ...queries[0]!, relevant: [3, 3] }
  await failing({ queries: [twice] }).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining('red') }),
  )
  const labels = { rows: [1, 2], values: [0.5, Number.NaN] }
  await failing({ queries: [{ ...queries[0]!, labels }] }).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining('red') }),
  )
  const done = job(adapter(), { steps: 2 })
  await train(done)
  await expect(train({ ...done, model: adapter() })).rejects.toMatchObject({ code: 'BAD_INPUT' })
  const changed = {
    ...done,
    model: adapter(),
    resume: true,
    settings: { ...done.settings, seed: 5 },
  }
  await expect(train(changed)).rejects.toThrow('was trained with seed 0 (now: 5)')
  const others = { ...done, model: adapter(), resume: true, queries: queries.slice(1) }
  await expect(train(others)).rejects.toThrow('number of training queries 8 (now: 7)')
})

test('trains on a query with more ground truth than a context holds', async () => {
  const relevant = Array.from({ length: 14 }, (_, row) => row + 2)
  const judged = queries.map((query, i) => (i === 3 ? { ...query, relevant } : query))
  for (const listSize of [12, 16]) {
    const settings = { target: { contextSize: 10, k: 3 }, steps: 4, listSize }
    const training = { ...job(await openEncoderModel(base), settings), queries: judged }
    expect(await train(training)).toMatchObject({ ended: 'done', steps: 4 })
  }
})

test('truncates queries at the length of the model’s files or of the options, and counts them', async () => {
  const words = (count: number) => Array.from({ length: count }, () => 'red').join(' ')
  // 16 positions, two of them for special tokens.
  const texts = [1, 4, 14, 15, 40].map((count) => ({ id: String(count), text: words(count) }))
  const own = await openEncoderModel(base)
  expect([own.maxTokens, own.prepare(texts).length, own.countCut(texts)]).toEqual([16, 16, 2])
  const short = await openEncoderModel(base, { maxTokens: 6 })
  expect([short.maxTokens, short.prepare(texts).length, short.countCut(texts)]).toEqual([6, 6, 3])
  const prefixed = await openEncoderModel(base, { queryPrefix: 'the ' })
  expect(prefixed.countCut(texts)).toBe(3)
  await expect(openEncoderModel(base, { maxTokens: 17 })).rejects.toMatchObject({
    code: 'BAD_SETTING',
  })
  expect(new AdapterModel({ kind: 'linear', dimensions: HIDDEN }).countCut()).toBe(0)
})

function header(file: string): Record<string, unknown> {
  const content = readFileSync(file)
  return JSON.parse(content.toString('utf8', 8, 8 + Number(content.readBigUInt64LE())))
}

const bytes = (data: Float32Array) => Buffer.from(data.buffer, data.byteOffset, data.byteLength)
const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
