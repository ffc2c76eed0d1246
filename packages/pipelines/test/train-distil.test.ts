import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { evaluate, readLabels, readQrels, readRun, writeEmbeddings, writeRun } from '@kith/ir'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import type { Hooks } from '../src/job/hooks.ts'
import { distilRun } from '../src/labels/distil-run.ts'
import { mergeLabels } from '../src/labels/merge-labels.ts'
import { rerankRun } from '../src/rerank/rerank-run.ts'
import { searchRun } from '../src/search/search-run.ts'
import { adaptQueries } from '../src/train/adapt-queries.ts'
import { type TrainInputs, trainFromFiles } from '../src/train/train-from-files.ts'
import { tuneTraining } from '../src/train/tune-training.ts'
import { writeTurned } from './turned.ts'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)
const read = (name: string): string => readFileSync(path(name), 'utf8')

/** Words that tell topics apart, where the embeddings of queries lie between two. */
const topics = ['heron', 'violin', 'glacier', 'pepper', 'anchor', 'lantern', 'walnut', 'canyon']

beforeAll(async () => {
  await writeTurned(folder)
  const between = Array.from({ length: 48 }, (_, i) =>
    Float32Array.from({ length: 8 }, (_, j) => (j === i % 8 ? 0.8 : j === (i + 1) % 8 ? 0.9 : 0)),
  )
  const ids = between.map((_, i) => `q${i}`)
  await writeEmbeddings(path('queries.npy'), { dimensions: 8, ids }, between)
  const vectors = { queries: path('queries.npy'), docs: path('docs.npy') }
  await searchRun({ ...vectors, top: 80, out: path('run.trec') })
  const lines = (count: number, letter: string) =>
    Array.from({ length: count }, (_, i) =>
      JSON.stringify({ _id: `${letter}${i}`, text: `a ${topics[i % 8]} once` }),
    )
  writeFileSync(path('corpus.jsonl'), `${lines(80, 'd').join('\n')}\n`)
  writeFileSync(path('queries.jsonl'), `${lines(48, 'q').join('\n')}\n`)
  const judged = Array.from({ length: 16 }, (_, i) =>
    Array.from({ length: 10 }, (_, j) => `q${32 + i} 0 d${(i % 8) + 8 * j} 1\n`).join(''),
  )
  writeFileSync(path('topics.trec'), judged.join(''))
  const run = await readRun(path('run.trec'))
  const part = (wanted: (number: number) => boolean) =>
    [...run].filter(({ query }) => wanted(Number(query.slice(1))))
  await writeRun(
    path('train.run'),
    part((q) => q < 32),
  )
  await writeRun(
    path('dev.run'),
    part((q) => q >= 32),
  )
})

const inputs = (): Omit<TrainInputs, 'out'> => ({
  docs: path('docs.npy'),
  training: { queries: path('queries.npy'), run: path('train.run') },
  validation: { queries: path('queries.npy'), run: path('dev.run') },
  adapter: 'mlp',
  teacher: { corpus: path('corpus.jsonl'), queryText: path('queries.jsonl') },
  settings: { epochs: 60, learningRate: 0.02, inverseTemperature: 10, weightDecay: 0 },
})
const train = (out: string, more: Partial<TrainInputs> = {}, hooks: Hooks = {}) =>
  trainFromFiles({ ...inputs(), ...more, out: path(out) }, hooks)

async function figureOf(adapter: string): Promise<number> {
  const adapted = path(`${adapter}.npy`)
  await adaptQueries({ adapter: path(adapter), queries: path('queries.npy'), out: adapted })
  const out = path(`${adapter}.trec`)
  await searchRun({ queries: adapted, docs: path('docs.npy'), top: 80, out })
  return measured(out)
}

/** The figure of a run whose relevant documents are all ten of the query's topic. */
async function measured(run: string): Promise<number> {
  return evaluate(await readQrels(path('topics.trec')), await readRun(run), ['nDCG@10']).mean[
    'nDCG@10'
  ]!
}

describe('a training without judgments', () => {
  test('learns the ranking by words and neighbors, and validates by agreement with it', async () => {
    const plain = await measured(path('run.trec'))
    const remarks: string[] = []
    const stages = new Set<string>()
    const result = await train(
      'taught',
      {},
      {
        onRemark: (remark) => remarks.push(remark),
        onProgress: ({ stage }) => stages.add(stage),
      },
    )
    expect(result.best!.value).toBeGreaterThan(0.5)
    expect(remarks.join('\n')).toContain('(agreement with the teacher), MRR@10')
    expect([...stages]).toEqual([
      `teaching training queries of ${path('train.run')}`,
      `teaching validation queries of ${path('dev.run')}`,
      'training',
    ])
    expect(await figureOf('taught')).toBeGreaterThan(plain + 0.2)
    const sidecar = JSON.parse(read('taught.meta.json'))
    expect(sidecar.settings).toMatchObject({ outside: 'drop', teacher: inputs().teacher })
    expect(sidecar.inputs.map(({ file }: { file: string }) => file)).toContain(path('corpus.jsonl'))
    // Stopped and done again, it is the same training.
    expect(await train('taught')).toEqual(result)
  })

  test('learns from a run, and from labels made from the run', async () => {
    const texts = { corpus: path('corpus.jsonl'), queryText: path('queries.jsonl') }
    const vectors = { queries: path('queries.npy'), docs: path('docs.npy') }
    await rerankRun({ run: path('run.trec'), ...vectors, ...texts, out: path('teacher.trec') })
    await train('by-run', { teacher: { run: path('teacher.trec') } })
    // Scores of a run are written with as many digits as they have.
    expect(Math.abs((await figureOf('by-run')) - (await figureOf('taught')))).toBeLessThan(1e-3)
    const { summary } = await distilRun({ run: path('teacher.trec'), out: path('labels.jsonl') })
    expect(summary).toMatchObject({ queries: 48, position: 48, leftOut: {} })
    const { training } = inputs()
    const labeled = { ...training, labels: path('labels.jsonl') }
    const validation = { ...inputs().validation!, qrels: path('dev.trec') }
    await train('by-labels', { teacher: undefined, training: labeled, validation })
    expect(await figureOf('by-labels')).toBeGreaterThan(0.5)
  })

  test('makes labels again for candidates that are searched again', async () => {
    const settings = { steps: 6, refreshEvery: 2, inverseTemperature: 10, learningRate: 0.05 }
    await train('fresh', { settings })
    const controller = new AbortController()
    const stopped = train(
      'fresh-stopped',
      { settings },
      {
        signal: controller.signal,
        onProgress: ({ stage, done }) => {
          if (stage === 'training' && done === 3) controller.abort()
        },
      },
    )
    await expect(stopped).rejects.toMatchObject({ code: 'ABORTED' })
    await train('fresh-stopped', { settings })
    const weights = (name: string) => readFileSync(path(`${name}/adapter.safetensors`))
    expect(weights('fresh-stopped').equals(weights('fresh'))).toBe(true)
  })

  test('stops on a signal while the teacher ranks', async () => {
    const controller = new AbortController()
    let taught = 0
    const stopped = train(
      'stopped-early',
      {},
      {
        signal: controller.signal,
        onProgress: ({ done }) => {
          if (done === 0) setImmediate(() => controller.abort())
          taught = done
        },
      },
    )
    await expect(stopped).rejects.toMatchObject({ code: 'ABORTED' })
    expect(taught).toBeLessThan(32)
  })

  test('refuses missing data, or skips and counts it', async () => {
    writeFileSync(path('some.jsonl'), read('corpus.jsonl').split('\n').slice(3).join('\n'))
    const teacher = { ...inputs().teacher, corpus: path('some.jsonl') }
    await expect(train('lacking', { teacher })).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining(path('some.jsonl')),
    })
    const { missing } = await train('lacking', { teacher, missing: 'skip', settings: { steps: 1 } })
    expect(missing.training).toMatchObject([
      { what: 'candidates of the run have no text', count: 3 },
    ])
    await writeRun(path('half.trec'), [...(await readRun(path('dev.run')))])
    await expect(train('lost', { teacher: { run: path('half.trec') } })).rejects.toThrow(
      '32 queries of the run are not in the teacher’s run: q0, q1, q2, …',
    )
  })

  test('names inputs that contradict a teacher', async () => {
    const { training, teacher } = inputs()
    const failing = (more: Partial<TrainInputs>) => expect(train('x', more)).rejects
    const judged = { ...training, qrels: path('train.trec') }
    await failing({ training: judged }).toThrow(
      expect.objectContaining({
        code: 'BAD_SETTING',
        message: expect.stringContaining('judgments'),
      }),
    )
    await failing({ settings: { skip: 3 } }).toThrow(
      expect.objectContaining({ code: 'BAD_SETTING', message: expect.stringContaining('skip') }),
    )
    await failing({ settings: { negativesBelow: 0.9 } }).toThrow(
      expect.objectContaining({
        code: 'BAD_SETTING',
        message: expect.stringContaining('negativesBelow'),
      }),
    )
    await failing({ settings: { target: {} } }).toThrow('leave out target')
    await failing({ settings: { loss: 'infonce' } }).toThrow(
      expect.objectContaining({ code: 'BAD_SETTING', message: expect.stringContaining('loss') }),
    )
    await failing({ teacher: {} }).toThrow(
      expect.objectContaining({
        code: 'BAD_SETTING',
        message: expect.stringContaining('queryText'),
      }),
    )
    await failing({ teacher: { ...teacher, run: path('run.trec') } }).toThrow(
      expect.objectContaining({ code: 'BAD_SETTING', message: expect.stringContaining('corpus') }),
    )
    await failing({ teacher: { ...teacher, depth: 0 } }).toThrow('depth')
    await failing({ teacher: undefined }).toThrow(
      expect.objectContaining({ code: 'BAD_SETTING', message: expect.stringContaining('qrels') }),
    )
    await failing({ teacher: undefined, training: judged }).toThrow(
      expect.objectContaining({
        code: 'BAD_SETTING',
        message: expect.stringContaining('validation'),
      }),
    )
    await expect(tuneTraining({ ...inputs(), out: path('x') })).rejects.toMatchObject({
      code: 'BAD_SETTING',
      message: expect.stringContaining('teacher'),
    })
    const byLoss = { ...inputs(), teacher: undefined, settings: { selectBy: 'loss' } }
    await expect(tuneTraining({ ...byLoss, out: path('x') })).rejects.toMatchObject({
      code: 'BAD_SETTING',
      message: expect.stringContaining('selectBy'),
    })
  })
})

describe('distilRun', () => {
  test('writes the softmax of a run, merges shards, and takes the first document as positive with texts', async () => {
    const run = path('teacher.trec')
    const whole: unknown[] = []
    for await (const entry of readLabels(path('labels.jsonl'))) whole.push(entry)
    const [first] = (await readRun(run)) as Iterable<{ query: string; ids: string[] }>
    expect(whole[0]).toMatchObject({
      query: first!.query,
      docs: first!.ids.slice(0, 50),
      groundTruth: [],
    })
    const shares = [1, 2, 3].map((index) => path(`share-${index}.jsonl`))
    for (const [i, out] of shares.entries()) {
      await distilRun({ run, out, shard: { index: i + 1, count: 3 } })
    }
    await mergeLabels({ shares, out: path('merged.jsonl') })
    expect(read('merged.jsonl')).toBe(read('labels.jsonl'))
    const texts = { corpus: path('corpus.jsonl'), queryText: path('queries.jsonl') }
    const out = path('st.jsonl')
    const format = 'sentence-transformers'
    await distilRun({ run, ...texts, format, depth: 5, out })
    const row = JSON.parse(read('st.jsonl').split('\n')[0]!)
    expect(Object.keys(row)).toEqual([
      ...['query', 'positive', 'negative_1', 'negative_2', 'negative_3', 'negative_4', 'label'],
    ])
    expect(row.label[0]).toBe(Math.max(...row.label))
    await expect(distilRun({ run, format, out })).rejects.toMatchObject({
      code: 'BAD_SETTING',
      message: expect.stringContaining('corpus'),
    })
  })
})
