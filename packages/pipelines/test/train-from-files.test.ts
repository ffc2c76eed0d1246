import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { evaluate, readQrels, readRun } from '@kith/ir'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import type { Hooks } from '../src/job/hooks.ts'
import { searchRun } from '../src/search/search-run.ts'
import { adaptQueries } from '../src/train/adapt-queries.ts'
import { compareTrainings } from '../src/train/compare-trainings.ts'
import { type TrainInputs, trainFromFiles } from '../src/train/train-from-files.ts'
import { writeTurned } from './turned.ts'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)
const read = (name: string): string => readFileSync(path(name), 'utf8')

beforeAll(() => writeTurned(folder))

const files = { queries: path('queries.npy'), run: path('run.trec') }
const adapter: Omit<TrainInputs, 'out'> = {
  docs: path('docs.npy'),
  training: { ...files, qrels: path('train.trec') },
  validation: { ...files, qrels: path('dev.trec') },
  adapter: 'mlp',
}
const train = (out: string, more: Partial<TrainInputs> = {}, hooks: Hooks = {}) =>
  trainFromFiles({ ...adapter, ...more, out: path(out) }, hooks)

describe('trainFromFiles', () => {
  test('trains an adapter, and adaptQueries applies it', async () => {
    const settings = { epochs: 60, learningRate: 0.02, inverseTemperature: 10, weightDecay: 0 }
    const remarks: string[] = []
    const steps: number[] = []
    const result = await train(
      'adapter',
      { settings },
      {
        onRemark: (remark) => remarks.push(remark),
        onProgress: ({ stage, done, total }) => {
          expect([stage, total]).toEqual(['training', 60])
          steps.push(done)
        },
      },
    )
    expect(result).toMatchObject({
      ...{ steps: 60, ended: 'done', curves: path('adapter/curves.html') },
      ...{ cut: { training: 0, validation: 0 }, missing: { training: [], validation: [] } },
    })
    expect(steps).toEqual([...new Array(61).keys()])
    // Half of the run's queries are those of the other part.
    expect(remarks[0]).toBe(
      `vectors differ in length; using metric dot from ${path('run.trec')}.meta.json`,
    )
    expect(remarks[1]).toBe(`16 queries of ${path('run.trec')} have no relevant document`)
    expect(remarks[3]).toMatch(
      /^step 0: validation loss \d+\.\d+ \(original labels\), MRR@10 \d\.\d+, nDCG@10/,
    )
    const records = read('adapter/metrics.jsonl')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ kind }) => kind === 'validation')
    expect(records.at(-1).measures['nDCG@10']).toBeGreaterThan(records[0].measures['nDCG@10'] + 0.3)
    const adapted = { queries: path('queries.npy'), out: path('adapted.npy') }
    expect(await adaptQueries({ adapter: path('adapter'), ...adapted })).toEqual({
      out: path('adapted.npy'),
      queries: 48,
    })
    const again = { queries: path('adapted.npy'), docs: path('docs.npy'), top: 80 }
    await searchRun({ ...again, out: path('adapted.trec') })
    const qrels = await readQrels(path('dev.trec'))
    const figure = async (run: string) =>
      evaluate(qrels, await readRun(path(run)), ['nDCG@10']).mean['nDCG@10']!
    expect(await figure('adapted.trec')).toBeGreaterThan((await figure('run.trec')) + 0.3)
    expect(read('adapter/curves.svg')).toContain('</svg>')
    expect(read('adapter/curves.html')).toContain('<h1>Training curves</h1>')
    expect(read('adapter/curves.html')).toContain('alidation loss')
    expect(read('adapter/curves.html')).toContain('↑ training loss')
    for (const out of [path('curves.html'), path('curves.svg')]) {
      const compared = await compareTrainings({ folders: [path('adapter')], out })
      expect(compared).toEqual({ out, trainings: 1 })
    }
    expect(read('curves.html')).toContain('alidation loss')
    expect(read('curves.svg')).toContain('</svg>')
    // The same call finds it done; other settings are refused.
    expect(await train('adapter', { settings })).toEqual(result)
    await expect(train('adapter', { settings: { ...settings, seed: 5 } })).rejects.toThrow('seed')
    const sidecar = JSON.parse(read('adapter.meta.json'))
    expect(sidecar).toMatchObject({ command: 'train', settings: { adapter: 'mlp', steps: 60 } })
    expect(sidecar).not.toHaveProperty('missing')
  })

  test('saves a checkpoint when stopped, and the same call resumes', async () => {
    const settings = { steps: 8, validateEvery: 4 }
    const whole = await train('whole-way', { settings })
    const controller = new AbortController()
    const reason = new Error('enough')
    const remarks: string[] = []
    const stopped = train(
      'stopped',
      { settings },
      {
        signal: controller.signal,
        onRemark: (remark) => remarks.push(remark),
        onProgress: ({ done }) => {
          if (done === 3) controller.abort(reason)
        },
      },
    )
    await expect(stopped).rejects.toMatchObject({ code: 'ABORTED', cause: reason })
    expect(remarks.at(-1)).toBe(`${path('stopped')}: the checkpoint of step 3 of 8 is saved`)
    expect(existsSync(path('stopped/adapter.safetensors'))).toBe(false)
    const told: number[] = []
    const { best, steps } = await train(
      'stopped',
      { settings },
      { onProgress: ({ done }) => told.push(done) },
    )
    expect(told).toEqual([3, 4, 5, 6, 7, 8])
    expect({ best, steps }).toEqual({ best: whole.best, steps: 8 })
    const weights = (name: string) => readFileSync(path(`${name}/adapter.safetensors`))
    expect(weights('stopped').equals(weights('whole-way'))).toBe(true)
  })

  test('accepts existing labels, and refuses labels of other queries', async () => {
    const line = (query: string, docs: string[]) =>
      JSON.stringify({
        query,
        docs,
        labels: [0.75, 0.25],
        evidence: [1, 0],
        groundTruth: [docs[0]],
      })
    const lines = Array.from({ length: 32 }, (_, q) => line(`q${q}`, [`d${q % 8}`, 'd79']))
    const labels = path('labels.jsonl')
    const training = { ...adapter.training, labels }
    const settings = { steps: 3 }
    const inputs = { training, settings, adapter: 'mlp' } as const
    writeFileSync(labels, `${lines.join('\n')}\n`)
    await train('by-labels', inputs)
    expect(existsSync(path('by-labels/adapter.safetensors'))).toBe(true)
    const [first] = lines
    for (const [contents, message] of [
      [
        first!,
        /run\.trec:\d+: training .*: 31 queries of the run have no labels in .*labels\.jsonl .*: q1, q2, q3, …; pass missing: 'skip/,
      ],
      ['', /run\.trec: 32 queries of the run have no labels/],
      ['{"query": 1}\n', /labels.jsonl:1: query must be a string/],
      ['\n{"query":\n', /labels.jsonl:2: not JSON/],
      [Buffer.from([0x7b, 0xff, 0xfe, 0]), /labels.jsonl:1: /],
      [`${first}\n${first}\n`, /labels.jsonl:2: .*q0/],
      [
        [line('q0', ['none', 'd79']), ...lines.slice(1)].join('\n'),
        /labels\.jsonl:1: training queries of .*run\.trec: 1 labeled documents have no embedding in .*docs\.npy: none/,
      ],
    ] as const) {
      writeFileSync(labels, contents)
      await expect(train('other', inputs)).rejects.toThrow(message)
    }
    const both = { ...inputs, settings: { steps: 3, target: { target: 'mixed' } } } as const
    await expect(train('other', both)).rejects.toMatchObject({
      code: 'BAD_SETTING',
      message: expect.stringContaining('target'),
    })
    expect(existsSync(path('other'))).toBe(false)
  })

  test('refuses missing data, or skips and counts it', async () => {
    writeFileSync(path('more.trec'), `${read('train.trec')}q0 0 away 1\nq1 0 gone 2\n`)
    writeFileSync(path('more.run'), `${read('run.trec')}q40 Q0 gone 81 -9 t\n`)
    const training = { ...adapter.training, qrels: path('more.trec') }
    const validation = { ...adapter.validation!, run: path('more.run') }
    const inputs = { training, settings: { steps: 1 } }
    await expect(train('missing', inputs)).rejects.toThrow(
      `${path('more.trec')}:33: training queries of ${path('run.trec')}: 2 judged documents have no embedding in ${path('docs.npy')}: away, gone; pass missing: 'skip' to leave them out`,
    )
    await expect(train('missing', { settings: { steps: 1 }, validation })).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining(path('more.run')),
    })
    const remarks: string[] = []
    const { missing } = await train(
      'missing',
      { ...inputs, validation, missing: 'skip' },
      { onRemark: (remark) => remarks.push(remark) },
    )
    expect(missing).toEqual({
      training: [{ what: 'judged documents have no embedding', count: 2, first: ['away', 'gone'] }],
      validation: [{ what: 'candidates of the run have no embedding', count: 1, first: ['gone'] }],
    })
    expect(remarks[1]).toBe(
      `training queries of ${path('run.trec')}: 2 judged documents have no embedding: away, gone`,
    )
    expect(JSON.parse(read('missing.meta.json'))).toMatchObject({ missing })
  })

  test('refuses other documents of the same shape, in memory or read by position', async () => {
    const docs = readFileSync(path('docs.npy'))
    writeFileSync(path('own.npy'), docs)
    writeFileSync(path('own.ids.txt'), read('docs.ids.txt'))
    const inputs = { docs: path('own.npy'), settings: { steps: 2 } }
    await train('same', inputs)
    await train('same', { ...inputs, memory: 0 })
    docs.writeFloatLE(docs.readFloatLE(docs.length - 40) + 0.01, docs.length - 40)
    writeFileSync(path('own.npy'), docs)
    for (const memory of [2 ** 32, 0]) {
      await expect(train('same', { ...inputs, memory })).rejects.toMatchObject({
        code: 'BAD_FILE',
        message: expect.stringContaining('latest.safetensors'),
      })
    }
  })

  test('warns of short lists and of labels outside them', async () => {
    const remarksOf = async (out: string, more: Partial<TrainInputs>) => {
      const remarks: string[] = []
      await train(out, more, { onRemark: (remark) => remarks.push(remark) })
      return remarks.join('\n')
    }
    const short = await remarksOf('short', { settings: { steps: 1, listSize: 30 } })
    expect(short).toMatch(
      /training queries have fewer than 50 candidates; the first candidates include unlabeled relevant documents/,
    )
    expect(short).toMatch(
      /labeled documents \(\d+ %\) are not among .* first 30 candidates and are left out/,
    )
    const fine = await remarksOf('fine', { settings: { steps: 1, listSize: 30, skip: 2 } })
    expect(fine).not.toContain('unlabeled relevant documents')
    expect(await remarksOf('long', { settings: { steps: 1 } })).not.toMatch(/hardest|not among/)
    const injected = { outside: 'inject', settings: { steps: 1, listSize: 30 } } as const
    expect(await remarksOf('injected', injected)).toContain('and are added')
    const none = { settings: { steps: 1, listSize: 2 } }
    await expect(train('none', none)).rejects.toThrow(
      /32 of 32 labeled documents \(100 %\) are not among their query’s first 2 candidates/,
    )
  })

  test('names wrong inputs', async () => {
    const failing = (more: Partial<TrainInputs>) => expect(train('x', more)).rejects
    await failing({ settings: { steps: 2, epochs: 2 } }).toThrow(
      expect.objectContaining({ code: 'BAD_SETTING', message: expect.stringContaining('epochs') }),
    )
    await failing({ topLayers: 2 }).toThrow(
      expect.objectContaining({
        code: 'BAD_SETTING',
        message: expect.stringContaining('topLayers'),
      }),
    )
    await failing({ settings: { steps: 1, loss: 'hinge' as 'kl' } }).toThrow('hinge')
    await failing({ device: 'abacus', settings: { steps: 1 } }).toThrow('abacus')
    const queries = path('queries.jsonl')
    const [training, validation] = [adapter.training, adapter.validation!]
    await failing({
      adapter: undefined,
      training: { ...training, queries },
      validation: { ...validation, queries },
    }).toThrow(
      expect.objectContaining({ code: 'BAD_SHAPE', message: expect.stringContaining('384') }),
    )
    await expect(adaptQueries({ adapter: folder, queries: 'x', out: path('y') })).rejects.toThrow(
      'adapter.safetensors',
    )
  })
})

test('compareTrainings names the line and file of a mistake', async () => {
  const validation = { kind: 'validation', step: 0, loss: 1, measures: { 'nDCG@10': 0.5 } }
  const compare = () => compareTrainings({ folders: [folder], out: path('x.svg') })
  await expect(compare()).rejects.toMatchObject({
    code: 'BAD_FILE',
    message: expect.stringContaining('metrics.jsonl'),
  })
  for (const [contents, message] of [
    ['', /metrics.jsonl: contains no validations/],
    ['null\n', /metrics.jsonl:1: /],
    ['{"kind":"validation"}\n', /metrics.jsonl:1: /],
    ['{"kind":"step"}\n', /metrics.jsonl:1: /],
    ['{"kind":"step","step":1,"loss":2}\n{"kind"\n{}\n', /metrics.jsonl:2: /],
    [Buffer.from([0xff, 0, 0x7b]), /metrics.jsonl:1: /],
    [JSON.stringify({ ...validation, measures: {} }), /metrics.jsonl:1: has no nDCG@10/],
  ] as const) {
    writeFileSync(path('metrics.jsonl'), contents)
    await expect(compare()).rejects.toThrow(message)
  }
  // A last line that a crash cut off is left out.
  writeFileSync(path('metrics.jsonl'), `${JSON.stringify(validation)}\n{"kind": "st`)
  expect(await compare()).toMatchObject({ trainings: 1 })
})
