import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import {
  AdapterModel,
  type PartialTrainSettings,
  readMetrics,
  type TrainingJob,
  train,
} from '../src/index.ts'
import { checkpointFile } from '../src/run/checkpoint.ts'
import { MetricsFile } from '../src/run/metrics.ts'
import { documentsOf, randomDocuments } from './support.ts'

const folder = temporaryFolder()
const DIMENSIONS = 4
const vectors = randomDocuments(20, DIMENSIONS, 1).read(0, 20)
const documents = documentsOf(vectors, DIMENSIONS)
const queries = Array.from({ length: 6 }, (_, i) => ({
  id: `q${i}`,
  vector: documents.read(i, i + 1),
  relevant: [i + 6],
  retrieved: Array.from({ length: 20 }, (_, row) => row),
}))
const settings: PartialTrainSettings = {
  ...{ steps: 4, batchSize: 2, listSize: 8, inverseTemperature: 5, dropout: 0 },
  // A rate at which validation gets better, then worse: the best is not the last.
  ...{ learningRate: 1.5, schedule: 'constant', validateEvery: 2, selectBy: 'nDCG@10' },
}

const jobAt = (name: string): TrainingJob => ({
  ...{ documents, queries, validation: queries, settings, threads: 1, out: join(folder, name) },
  model: new AdapterModel({ kind: 'linear', dimensions: DIMENSIONS }),
})
const goOn = (name: string) => train({ ...jobAt(name), resume: true })

/** What a training leaves, but for times. */
function leftBy(name: string): { metrics: unknown[]; weights: string } {
  const lines = readFileSync(join(folder, name, 'metrics.jsonl'), 'utf8').split('\n')
  expect(lines.pop()).toBe('')
  const metrics = lines.map((line) => {
    const { milliseconds, labelShare, ...record } = JSON.parse(line)
    return record
  })
  return { metrics, weights: readFileSync(join(folder, name, 'adapter.safetensors'), 'hex') }
}

const { best } = await train(jobAt('undisturbed'))
const undisturbed = leftBy('undisturbed')

test('validates the base model in an undisturbed training, whose best checkpoint is not the last', () => {
  const kinds = undisturbed.metrics.map((record) => {
    const { kind, step } = record as { kind: string; step: number }
    return `${kind} ${step}`
  })
  expect(kinds).toEqual([
    ...['validation 0', 'step 1', 'step 2', 'validation 2'],
    ...['step 3', 'step 4', 'validation 4'],
  ])
  expect(best!.step).toBe(2)
})

describe('a training that is killed (-9) at any file operation', () => {
  const child = fileURLToPath(new URL('killed-training.mjs', import.meta.url))
  const description = join(folder, 'job.json')
  writeFileSync(
    description,
    JSON.stringify({
      ...{ settings, dimensions: DIMENSIONS, vectors: Array.from(vectors) },
      queries: queries.map((query) => ({ ...query, vector: Array.from(query.vector) })),
    }),
  )

  test('resumes, and leaves the files of an undisturbed training', async () => {
    const copies = join(folder, 'killed')
    const args = [child, description, join(folder, 'copied'), copies]
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    expect(status, stderr).toBe(0)
    expect(leftBy('copied')).toEqual(undisturbed)
    const kills = readdirSync(copies)
    let withoutCheckpoint = 0
    for (const operation of kills) {
      const name = join('killed', operation)
      if (!existsSync(checkpointFile(join(folder, name), 'latest'))) withoutCheckpoint++
      await goOn(name)
      expect(leftBy(name), `operation ${operation}`).toEqual(undisturbed)
    }
    // Seven lines, each checkpoint and the result are opened or renamed at least once.
    expect(kills.length).toBeGreaterThan(13)
    expect(withoutCheckpoint).toBeGreaterThan(2)
  })
})

test.each([0, 1, 2, 3])('leaves the same files after a stop at step %i', async (last) => {
  const name = `stopped-${last}`
  const stop = new AbortController()
  if (last === 0) stop.abort()
  const onStep = ({ step }: { step: number }) => step === last && stop.abort()
  const result = await train({ ...jobAt(name), onStep, signal: stop.signal })
  expect(result).toMatchObject({ ended: 'stopped', steps: last })
  await goOn(name)
  expect(leftBy(name)).toEqual(undisturbed)
})

describe('the best checkpoint', () => {
  /** A training that is stopped where the latest weights are the best. */
  async function stopAtBest(name: string): Promise<string> {
    const stop = new AbortController()
    const onStep = ({ step }: { step: number }) => step === 2 && stop.abort()
    await train({ ...jobAt(name), onStep, signal: stop.signal })
    return join(folder, name)
  }

  test('is made again if the training was killed before it was written', async () => {
    const without = await stopAtBest('without-best')
    rmSync(checkpointFile(without, 'best'))
    await goOn('without-best')
    expect(leftBy('without-best')).toEqual(undisturbed)
    const older = await stopAtBest('older-best')
    const start = await train({ ...jobAt('start'), signal: AbortSignal.abort() })
    expect(start.best!.step).toBe(0)
    copyFileSync(checkpointFile(join(folder, 'start'), 'best'), checkpointFile(older, 'best'))
    await goOn('older-best')
    expect(leftBy('older-best')).toEqual(undisturbed)
  })

  test('of another step is not used as the best', async () => {
    const out = join(folder, 'wrong-best')
    await train(jobAt('wrong-best'))
    copyFileSync(checkpointFile(out, 'latest'), checkpointFile(out, 'best'))
    await expect(goOn('wrong-best')).rejects.toMatchObject({
      code: 'BAD_FILE',
      message: expect.stringContaining('best.safetensors'),
    })
  })
})

describe('metrics.jsonl', () => {
  const written = readFileSync(join(folder, 'undisturbed/metrics.jsonl'), 'utf8')

  test('keeps its whole lines up to the checkpoint if it was cut off anywhere', async () => {
    const at = join(folder, 'cut')
    mkdirSync(at)
    const file = join(at, 'metrics.jsonl')
    const lines = written.split('\n').slice(0, 5)
    const text = `${lines.join('\n')}\n`
    for (let length = 0; length <= text.length; length++) {
      writeFileSync(file, text.slice(0, length))
      await MetricsFile.open(at, 2)
      let end = 0
      const whole = lines.filter((line) => {
        end += line.length + 1
        // A line that lacks nothing but its end is whole.
        return end - 1 <= length && JSON.parse(line).step <= 2
      })
      expect(readFileSync(file, 'utf8')).toBe(whole.map((line) => `${line}\n`).join(''))
    }
    expect(readdirSync(at)).toEqual(['metrics.jsonl'])
  })

  test('starts again with a new training', async () => {
    const at = join(folder, 'anew')
    mkdirSync(at)
    writeFileSync(join(at, 'metrics.jsonl'), written)
    await MetricsFile.open(at, undefined)
    expect(readFileSync(join(at, 'metrics.jsonl'), 'utf8')).toBe('')
  })

  test('is refused if a line other than the last is damaged, with the line', async () => {
    const file = join(folder, 'damaged.jsonl')
    const lines = written.split('\n')
    for (const bad of [
      '{"kind":"st',
      '5',
      'null',
      '{"kind":"step"}',
      '{"kind":"other","step":1}',
    ]) {
      writeFileSync(file, [lines[0], bad, lines[1]].join('\n'))
      await expect(readMetrics(file)).rejects.toThrow('damaged.jsonl:2:')
    }
    await expect(readMetrics(folder)).rejects.toThrow(folder)
    expect(await readMetrics(join(folder, 'nowhere.jsonl'))).toEqual([])
  })
})
