import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import {
  openEncoderModel,
  type PartialTrainSettings,
  readMetrics,
  type TrainingJob,
  type TrainingQuery,
  train,
} from '../src/index.ts'
import type { EncoderModel } from '../src/models/encoder-model.ts'
import { lowerLayersFile } from '../src/run/checkpoint.ts'
import { documentsOf, randomDocuments, writeSmallModel } from './support.ts'

const folder = temporaryFolder()
const HIDDEN = 8
const base = writeSmallModel(join(folder, 'base'), { hidden: HIDDEN })
const vectors = randomDocuments(24, HIDDEN, 11).read(0, 24)
const documents = documentsOf(vectors, HIDDEN)
/** Of one to six words, so that batches are padded. */
const words = 'red green blue one two three dense query retrieval of'.split(' ')
const queries: TrainingQuery[] = words.map((word, i) => ({
  id: word,
  text: [word, ...words.slice(0, i % 6)].join(' '),
  relevant: [i],
  retrieved: Array.from({ length: 24 }, (_, row) => row),
}))
const settings: PartialTrainSettings = {
  ...{ steps: 24, batchSize: 4, listSize: 16, inverseTemperature: 5, dropout: 0.3 },
  ...{ learningRate: 0.01, schedule: 'constant', validateEvery: 6 },
}
const upper = (topLayers = 1): Promise<EncoderModel> => openEncoderModel(base, { topLayers })

async function jobAt(name: string, change: Partial<TrainingJob> = {}): Promise<TrainingJob> {
  const given = { documents, queries, validation: queries, settings, threads: 1 }
  return { ...given, model: await upper(), out: join(folder, name), ...change }
}

/** Has a model compute all its layers at every step, as a model does of which all layers learn. */
function computingAll(model: EncoderModel): EncoderModel {
  return Object.defineProperty(model, 'split', { value: undefined })
}

/**
 * The losses of a training's steps and validations, one behind the other.
 *
 * @param parts How often lower layers are computed to be kept.
 */
async function lossesOf(job: TrainingJob, parts: number): Promise<number[]> {
  let computed = 0
  await train({ ...job, onLowerLayers: () => computed++ })
  expect(computed).toBe(parts)
  return (await readMetrics(join(job.out, 'metrics.jsonl'))).map(({ loss }) => loss)
}

/** What a training leaves, but for times. */
async function leftBy(out: string): Promise<unknown> {
  const metrics = (await readMetrics(join(out, 'metrics.jsonl'))).map((record) => {
    return { ...record, milliseconds: 0, labelShare: 0 }
  })
  return { metrics, weights: readFileSync(join(out, 'model.safetensors'), 'hex') }
}

function largestDifference(some: readonly number[], others: readonly number[]): number {
  expect(some.length).toBe(others.length)
  return Math.max(...some.map((loss, i) => Math.abs(loss / others[i]! - 1)))
}

describe('keeping the states of frozen layers gives the losses of computing all layers', () => {
  test.each([
    { name: 'judgments', options: {} },
    {
      name: 'live labels, new candidates',
      options: { target: { contextSize: 12, k: 3 }, refreshEvery: 7, gradientAccumulation: 2 },
    },
  ])('with $name', async ({ name, options }) => {
    const own = { settings: { ...settings, ...options } }
    const kept = await lossesOf(await jobAt(`kept ${name}`, own), 1)
    const model = computingAll(await upper())
    const computed = await lossesOf(await jobAt(`computed ${name}`, { ...own, model }), 0)
    expect(kept).toHaveLength(29)
    expect(new Set(kept).size).toBeGreaterThan(24)
    expect(largestDifference(kept, computed)).toBeLessThan(1e-6)
  })

  test('with all-MiniLM-L6-v2 and two trained layers', async () => {
    const model = () => openEncoderModel('minilm', { topLayers: 2 })
    const own = {
      documents: randomDocuments(24, 384, 5),
      settings: { ...settings, steps: 20, learningRate: 1e-4, dropout: 0.1 },
    }
    const kept = await lossesOf(await jobAt('minilm kept', { ...own, model: await model() }), 1)
    const computed = await lossesOf(
      await jobAt('minilm computed', { ...own, model: computingAll(await model()) }),
      0,
    )
    expect(kept).toHaveLength(25)
    expect(largestDifference(kept, computed)).toBeLessThan(1e-6)
  })
})

test('applies dropout only to trained layers', async () => {
  const drops = async (topLayers?: number) => {
    const model = await openEncoderModel(base, { topLayers })
    const parts = [model, model.split(join(folder, 'none.bin'), queries, {})]
    return parts.map((part) => {
      let count = 0
      part?.build((x) => {
        count++
        return x
      })
      return count
    })
  }
  // Three places in a layer, and one behind the embeddings.
  expect(await drops()).toEqual([7, 0])
  expect(await drops(2)).toEqual([6, 0])
  expect(await drops(1)).toEqual([3, 3])
  const named = 'dropout of frozen layers'
  expect((await upper()).identity).toMatchObject({ [named]: 'none' })
  expect((await openEncoderModel(base)).identity).not.toHaveProperty([named])
})

test('keeps no states if all layers but the embeddings are trained, and leaves embeddings unchanged', async () => {
  const model = await upper(2)
  const before = new Map([...model.weights].map(([name, data]) => [name, data.slice()]))
  const seen: boolean[] = []
  const job = await jobAt('all layers', {
    model,
    onStep: () => seen.push(existsSync(lowerLayersFile(join(folder, 'all layers')))),
  })
  await train(job)
  expect(new Set(seen)).toEqual(new Set([false]))
  for (const [name, data] of model.weights) {
    const same = data.every((value, i) => value === before.get(name)![i])
    expect(same, name).toBe(name.startsWith('embeddings.'))
  }
})

describe('a resumed training', () => {
  /** A training that is stopped after a step, and the folder in which it can go on. */
  async function stopAt(name: string, last: number): Promise<string> {
    const stop = new AbortController()
    const onStep = ({ step }: { step: number }) => step === last && stop.abort()
    const job = await jobAt(name, { onStep, signal: stop.signal })
    expect(await train(job)).toMatchObject({ ended: 'stopped', steps: last })
    return job.out
  }

  /** Goes on, and counts how often lower layers were computed. */
  async function goOn(name: string, change: Partial<TrainingJob> = {}): Promise<number> {
    let computed = 0
    await train(await jobAt(name, { ...change, resume: true, onLowerLayers: () => computed++ }))
    return computed
  }
  const undisturbed = jobAt('undisturbed').then(async (job) => {
    await train(job)
    return leftBy(job.out)
  })

  test('uses the earlier states file, ends with the same bits, and removes the file', async () => {
    const out = await stopAt('stopped', 9)
    expect(existsSync(lowerLayersFile(out))).toBe(true)
    expect(await goOn('stopped')).toBe(0)
    expect(await leftBy(out)).toEqual(await undisturbed)
    expect(existsSync(lowerLayersFile(out))).toBe(false)
    // It is finished: nothing has to be encoded.
    expect(await goOn('stopped')).toBe(0)
  })

  test('does not use a damaged file', async () => {
    const out = await stopAt('damaged', 9)
    const bytes = readFileSync(lowerLayersFile(out))
    bytes.writeFloatLE(bytes.readFloatLE(400) + 1, 400)
    writeFileSync(lowerLayersFile(out), bytes)
    expect(await goOn('damaged')).toBe(1)
    expect(await leftBy(out)).toEqual(await undisturbed)
  })

  test('does not use the file of other queries or other weights', async () => {
    const from = lowerLayersFile(await stopAt('source', 2))
    const changed = await upper()
    changed.weights.get('encoder.layer.0.output.dense.bias')![3]! += 0.01
    const otherText = queries.map((query, i) => (i === 4 ? { ...query, text: 'three red' } : query))
    const otherUpper = await upper()
    otherUpper.weights.get('encoder.layer.1.output.dense.bias')![3]! += 0.01
    const cases: [string, Partial<TrainingJob>, number][] = [
      ['same', {}, 0],
      ['text', { queries: otherText }, 1],
      ['order', { queries: queries.toReversed(), validation: queries.toReversed() }, 1],
      ['weights', { model: changed }, 1],
      ['tokens', { model: await openEncoderModel(base, { topLayers: 1, maxTokens: 4 }) }, 1],
      ['prefix', { model: await openEncoderModel(base, { topLayers: 1, queryPrefix: 'the' }) }, 1],
      // The layers below are the same ones.
      ['upper weights', { model: otherUpper }, 0],
    ]
    for (const [name, change, expected] of cases) {
      const file = lowerLayersFile(join(folder, name))
      mkdirSync(join(file, '..'), { recursive: true })
      copyFileSync(from, file)
      expect(await goOn(name, change), name).toBe(expected)
    }
  })

  test('continues after a stop while lower layers are computed', async () => {
    const job = await jobAt('aborted', { signal: AbortSignal.abort() })
    await expect(train(job)).rejects.toMatchObject({ code: 'ABORTED' })
    expect(await goOn('aborted')).toBe(1)
    expect(await leftBy(job.out)).toEqual(await undisturbed)
  })

  const child = fileURLToPath(new URL('killed-training.mjs', import.meta.url))
  const describeJob = (known: readonly TrainingQuery[], own: PartialTrainSettings): string => {
    const file = join(folder, `job-${known.length}.json`)
    const shape = { dimensions: HIDDEN, encoder: base, vectors: Array.from(vectors) }
    writeFileSync(file, JSON.stringify({ ...shape, queries: known, settings: own }))
    return file
  }

  test('leaves the files of an undisturbed training after a kill (-9) at any file operation', async () => {
    const short = { ...settings, steps: 2, validateEvery: 2 }
    await train(await jobAt('short', { settings: short }))
    const expected = await leftBy(join(folder, 'short'))
    const copies = join(folder, 'killed')
    const args = [child, describeJob(queries, short), join(folder, 'copied'), copies]
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    expect(status, stderr).toBe(0)
    expect(await leftBy(join(folder, 'copied'))).toEqual(expected)
    let [withFile, withPartial] = [0, 0]
    for (const operation of readdirSync(copies)) {
      const name = join('killed', operation)
      const file = lowerLayersFile(join(folder, name))
      const whole = existsSync(file)
      if (whole) withFile++
      if (existsSync(`${file}.partial`)) withPartial++
      const computed = await goOn(name, { settings: short })
      if (whole) expect(computed, `operation ${operation}`).toBe(0)
      expect(await leftBy(join(folder, name)), `operation ${operation}`).toEqual(expected)
      expect(existsSync(file)).toBe(false)
    }
    expect(withFile).toBeGreaterThan(5)
    expect(withPartial).toBeGreaterThan(2)
  })

  test('names the file that does not fit on the disk', () => {
    const many = Array.from({ length: 300 }, (_, i) => {
      const text = [0, 1, 2].map((place) => words[Math.floor(i / 10 ** place) % 10]).join(' ')
      return { ...queries[0]!, id: `q${i}`, text }
    })
    const description = describeJob(many, settings)
    const command = [
      process.execPath,
      child,
      description,
      join(folder, 'full'),
      join(folder, 'copies'),
    ]
    const { status, stderr } = spawnSync(
      'bash',
      ['-c', 'ulimit -f 16; exec "$@"', 'bash', ...command],
      { encoding: 'utf8' },
    )
    expect(status).toBe(1)
    expect(stderr).toMatch(/lower-layers\.bin\.partial: the file is too large/)
  })
})

test('computes only the states of queries that a short training uses', async () => {
  const totals = new Set<number>()
  const job = await jobAt('part', {
    settings: { ...settings, steps: 2, batchSize: 2 },
    validation: queries.slice(0, 1),
    onLowerLayers: (_, total) => totals.add(total),
  })
  await train(job)
  const [total] = totals
  expect(totals.size).toBe(1)
  expect(total).toBeGreaterThanOrEqual(4)
  expect(total).toBeLessThanOrEqual(5)
})
