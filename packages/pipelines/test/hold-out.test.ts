import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readQrels, readRun } from '@kith/ir'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { evaluateRuns } from '../src/eval/evaluate-runs.ts'
import { countLearned, type LearnedQueries } from '../src/files/learned-queries.ts'
import { sidecarOf } from '../src/files/sidecar.ts'
import { fuseRuns } from '../src/fuse/fuse-runs.ts'
import type { Hooks } from '../src/job/hooks.ts'
import { rerankRun } from '../src/rerank/rerank-run.ts'
import { searchRun } from '../src/search/search-run.ts'
import { adaptQueries } from '../src/train/adapt-queries.ts'
import { type TrainInputs, trainFromFiles } from '../src/train/train-from-files.ts'
import { tuneRun } from '../src/tune/tune-run.ts'
import { writeTopics } from './topics.ts'
import { writeTurned } from './turned.ts'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)
beforeAll(() => writeTurned(folder))

const files = { queries: path('queries.npy'), run: path('run.trec') }
const training = { ...files, qrels: path('train.trec') }
const judged = Array.from({ length: 32 }, (_, q) => `q${q}`)
const settings = { epochs: 100, learningRate: 0.02, inverseTemperature: 10, weightDecay: 0 }
const train = (out: string, more: Partial<TrainInputs> = {}, hooks: Hooks = {}) =>
  trainFromFiles(
    { docs: path('docs.npy'), training, adapter: 'mlp', settings, ...more, out: path(out) },
    hooks,
  )

/** Queries that a file's sidecar says were learned from. */
const learnedFrom = (name: string): LearnedQueries[] =>
  JSON.parse(readFileSync(sidecarOf(path(name)), 'utf8')).learnedFrom ?? []
const heldOutOf = async (name: string) => [
  ...(await readQrels(path(`${name}/held-out.trec`))).keys(),
]
/** Searches with the queries that a model gives. */
async function searchWith(adapter: string): Promise<string> {
  const [queries, out] = [path(`${adapter}.npy`), path(`${adapter}.trec`)]
  await adaptQueries({ adapter: path(adapter), queries: files.queries, out: queries })
  await searchRun({ queries, docs: path('docs.npy'), top: 80, out })
  return out
}
const remarksOf = async (qrels: string, ...runs: string[]): Promise<string[]> => {
  const remarks: string[] = []
  const hooks = { onRemark: (remark: string) => remarks.push(remark) }
  await evaluateRuns({ qrels, runs }, hooks)
  return remarks
}

describe('a training without validation queries', () => {
  test('holds out a fifth of the judged queries, and is measured on them alone', async () => {
    const remarks: string[] = []
    const { heldOut } = await train('held', {}, { onRemark: (remark) => remarks.push(remark) })
    expect(remarks).toContainEqual(
      '6 of 32 judged queries are held out (seed 0) to compare the model before and after, too few to choose the checkpoint; holdOut 0 trains on all queries',
    )
    const out = await heldOutOf('held')
    expect(out.length).toBe(6)
    expect(heldOut).toMatchObject({ queries: 6, qrels: path('held/held-out.trec') })
    const [learned] = learnedFrom('held')
    const qrels = await readQrels(path('train.trec'))
    expect(countLearned(learned!, judged, qrels)).toBe(26)
    expect(countLearned(learned!, out, qrels)).toBe(0)
    // The figures are those that the next commands find.
    const runs = [path('run.trec'), await searchWith('held')]
    const measures = ['nDCG@10', 'Recall@100']
    const { evaluations } = await evaluateRuns({ qrels: heldOut!.qrels!, runs, measures })
    for (const measure of measures) {
      const { before, after, randomization } = heldOut!.measures[measure]!
      expect(before).toBeCloseTo(evaluations[0]!.evaluation.mean[measure]!, 10)
      expect(after).toBeCloseTo(evaluations[1]!.evaluation.mean[measure]!, 10)
      expect(randomization).toBeLessThanOrEqual(1)
    }
    expect(heldOut!.measures['nDCG@10']!.difference).toBeGreaterThan(0.3)
  })

  test('holds out the same queries when it is resumed, and others with another seed', async () => {
    const stop = new AbortController()
    const onProgress: Hooks['onProgress'] = ({ done }) => {
      if (done === 3) stop.abort(new Error('enough'))
    }
    const short = { settings: { ...settings, epochs: 8 } }
    await expect(train('stopped', short, { onProgress, signal: stop.signal })).rejects.toThrow()
    const resumed = await train('stopped', short)
    const whole = await train('whole', short)
    expect(resumed.heldOut!.measures).toEqual(whole.heldOut!.measures)
    expect(await heldOutOf('stopped')).toEqual(await heldOutOf('held'))
    await train('other', { settings: { ...short.settings, seed: 7 } })
    expect(await heldOutOf('other')).not.toEqual(await heldOutOf('held'))
  })

  test('learns from all queries if it is told to, or if they are too few', async () => {
    const one = { ...settings, epochs: 1 }
    const all = await train('all', { holdOut: 0, settings: one })
    expect(all.heldOut).toBeUndefined()
    expect(existsSync(path('all/held-out.trec'))).toBe(false)
    expect(countLearned(learnedFrom('all')[0]!, judged, await readQrels(path('train.trec')))).toBe(
      32,
    )
    const few = readFileSync(path('train.trec'), 'utf8').split('\n').slice(0, 9)
    writeFileSync(path('few.trec'), `${few.join('\n')}\n`)
    const remarks: string[] = []
    const qrels = path('few.trec')
    const hooks = { onRemark: (remark: string) => remarks.push(remark) }
    await train('few', { training: { ...files, qrels }, settings: one }, hooks)
    expect(remarks).toContainEqual(expect.stringContaining('9 judged queries are too few'))
  })

  test('chooses the checkpoint on one half of enough held-out queries, and tests it on the other', async () => {
    const remarks: string[] = []
    const stop = new AbortController()
    const enough = { holdOut: 0.65, settings: { ...settings, learningRate: 0.05 } }
    const hooks = { onRemark: (remark: string) => remarks.push(remark) }
    const { best, heldOut, keepsOld, curves } = await train('halves', enough, hooks)
    expect(remarks).toContainEqual(
      '20 of 32 judged queries are held out (seed 0): 10 to choose the checkpoint, 10 to compare the model before and after; holdOut 0 trains on all queries',
    )
    expect(remarks.join()).toContain('(original labels), MRR@10')
    expect(best!.step).toBeGreaterThan(0)
    expect([heldOut!.queries, heldOut!.by, keepsOld]).toEqual([10, 'judgments', false])
    expect(curves).toBe(path('halves/curves.html'))
    // Neither half is learned from, and the queries that choose do not test.
    const qrels = await readQrels(path('train.trec'))
    const tested = await heldOutOf('halves')
    const [learned, choosing] = learnedFrom('halves')
    expect(choosing!.how).toBe('choose the checkpoint of')
    expect(countLearned(learned!, judged, qrels)).toBe(12)
    expect(countLearned(choosing!, judged, qrels)).toBe(10)
    for (const entry of [learned!, choosing!]) expect(countLearned(entry, tested, qrels)).toBe(0)
    // Stopped and resumed, or with other threads, it ends with the same weights.
    const onProgress: Hooks['onProgress'] = ({ done }) => {
      if (done === 5) stop.abort(new Error('enough'))
    }
    const half = { ...enough, threads: 1 }
    await expect(train('halved', half, { onProgress, signal: stop.signal })).rejects.toThrow()
    expect((await train('halved', half)).best).toEqual(best)
    const weights = (name: string) => readFileSync(path(`${name}/adapter.safetensors`))
    expect(weights('halved').equals(weights('halves'))).toBe(true)
  })

  test('stops early, and keeps the old weights, if held-out queries do not gain', async () => {
    const still = { ...settings, learningRate: 0 }
    const { best, ended, steps, keepsOld } = await train('still', {
      holdOut: 0.65,
      settings: still,
    })
    expect({ best: best!.step, ended, steps, keepsOld }).toEqual({
      ...{ best: 0, ended: 'early', steps: 25, keepsOld: true },
    })
    const sidecar = JSON.parse(readFileSync(sidecarOf(path('still')), 'utf8'))
    expect(sidecar).toMatchObject({ keepsOld: true, settings: { earlyStoppingPatience: 25 } })
    // The folder says so for validation queries, too, which end no training early.
    const validation = { ...files, qrels: path('dev.trec') }
    const given = await train('still-dev', { validation, settings: { ...still, epochs: 5 } })
    expect(given).toMatchObject({ best: { step: 0 }, ended: 'done', steps: 5, keepsOld: true })
    const patient = { ...still, epochs: 5, earlyStoppingPatience: 0 }
    expect(await train('patient', { holdOut: 0.65, settings: patient })).toMatchObject({ steps: 5 })
  })

  test('keeps the old weights if the chosen checkpoint does not gain on the testing half', async () => {
    // Queries that test have another document relevant than the one that training moves them to.
    const tested = new Set(await heldOutOf('halves'))
    const lines = readFileSync(path('train.trec'), 'utf8').trim().split('\n')
    const found = new Map(
      [...(await readRun(path('run.trec')))].map(({ query, ids }) => [query, ids]),
    )
    const turned = lines.map((line) => {
      const [query, zero, doc, grade] = line.split(' ')
      return [query, zero, tested.has(query!) ? found.get(query!)![0] : doc, grade].join(' ')
    })
    writeFileSync(path('contrary.trec'), `${turned.join('\n')}\n`)
    const contrary = { ...files, qrels: path('contrary.trec') }
    const { best, heldOut, keepsOld } = await train('contrary', {
      ...{ training: contrary, holdOut: 0.65, settings: { ...settings, learningRate: 0.05 } },
    })
    expect(best!.step).toBeGreaterThan(0)
    expect(heldOut!.measures['nDCG@10']!.difference).toBeLessThan(0)
    expect(keepsOld).toBe(true)
    // The weights are those that training starts from.
    await train('start', { holdOut: 0, settings: { ...settings, epochs: 1, learningRate: 0 } })
    const weights = (name: string) => readFileSync(path(`${name}/adapter.safetensors`))
    expect(weights('contrary').equals(weights('start'))).toBe(true)
  })

  test('chooses and tests by agreement with a teacher if there are no judgments', async () => {
    const remarks: string[] = []
    const teacher = { run: path('run.trec') }
    const { heldOut } = await train(
      'taught',
      { training: files, teacher, holdOut: 0.5, settings: { ...settings, epochs: 2 } },
      { onRemark: (remark) => remarks.push(remark) },
    )
    expect(remarks).toContainEqual(
      expect.stringMatching(
        /^24 of 48 queries are held out \(seed 0\): 12 to choose the checkpoint/,
      ),
    )
    expect(remarks.join()).toContain('(agreement with the teacher), MRR@10')
    expect(heldOut).toMatchObject({ queries: 12, by: 'teacher', qrels: undefined })
    // The teacher is the search from before.
    expect(heldOut!.measures['nDCG@10']!.before).toBeCloseTo(1, 6)
    expect(existsSync(path('taught/held-out.trec'))).toBe(false)
  })

  test('refuses to hold out queries twice, or without judgments', async () => {
    const validation = { ...files, qrels: path('dev.trec') }
    await expect(train('x', { validation, holdOut: 0.2 })).rejects.toMatchObject({
      code: 'BAD_SETTING',
      message: expect.stringContaining('holdOut'),
    })
    const labels = path('labels.jsonl')
    await expect(
      train('x', { training: { ...files, labels }, holdOut: 0.2 }),
    ).rejects.toMatchObject({ code: 'BAD_SETTING', message: expect.stringContaining('holdOut') })
    await expect(train('x', { holdOut: 1 })).rejects.toMatchObject({
      code: 'BAD_SETTING',
      message: expect.stringContaining('holdOut'),
    })
  })
})

describe('a run that is evaluated on the queries it learned from', () => {
  test('gets a warning, through embeddings, search, reranking and fusion', async () => {
    const run = path('held.trec')
    const sentence = (name: string, count: number) =>
      `${name}: ${count} of 32 judged queries were used to train ${path('held')} (${path('train.trec')})`
    expect(await remarksOf(path('train.trec'), path('run.trec'), run)).toEqual([
      expect.stringContaining(sentence('held.trec', 26)),
    ])
    // The first run is a plain search; the queries held out, and those of dev, were not learned from.
    expect(await remarksOf(path('held/held-out.trec'), path('run.trec'), run)).toEqual([])
    expect(await remarksOf(path('dev.trec'), run)).toEqual([])
    const vectors = { queries: path('held.npy'), docs: path('docs.npy') }
    await rerankRun({ run, ...vectors, out: path('reranked.trec') })
    await fuseRuns({ runs: [path('run.trec'), path('reranked.trec')], out: path('fused.trec') })
    for (const name of ['reranked.trec', 'fused.trec']) {
      expect(await remarksOf(path('train.trec'), path(name))).toEqual([
        expect.stringContaining(sentence(name, 26)),
      ])
    }
    // A run that somebody has put in its place has nothing to do with the sidecar.
    writeFileSync(path('fused.trec'), readFileSync(path('run.trec')))
    expect(await remarksOf(path('train.trec'), path('fused.trec'))).toEqual([])
  })

  test('gets no warning for queries of another dataset with the same ids', async () => {
    const lines = readFileSync(path('train.trec'), 'utf8').trim().split('\n')
    const relevant = lines.map((line) => line.split(/\s+/)[2]!)
    // The same queries and documents, but each query has the relevant document of another one.
    const other = lines.map((line, i) => {
      const [query, zero, , grade] = line.split(/\s+/)
      return [query, zero, relevant[(i + 1) % relevant.length], grade]
    })
    writeFileSync(path('other.trec'), `${other.map((parts) => parts.join(' ')).join('\n')}\n`)
    expect(await remarksOf(path('other.trec'), path('held.trec'))).toEqual([])
    // Documents of a lower grade make no other queries.
    const graded = lines.flatMap((line) => {
      const [query, zero, doc] = line.split(/\s+/)
      return [`${query} ${zero} ${doc} 2`, `${query} ${zero} barely 1`]
    })
    writeFileSync(path('graded.trec'), `${graded.join('\n')}\n`)
    expect(await remarksOf(path('graded.trec'), path('held.trec'))).toEqual([
      expect.stringContaining('26 of 32 judged queries were used to train'),
    ])
  })

  test('gets a warning for queries that chose the checkpoint, and for a reranked run', async () => {
    const validation = { ...files, qrels: path('dev.trec') }
    await train('chosen', { validation })
    const run = await searchWith('chosen')
    expect(await remarksOf(path('dev.trec'), run)).toEqual([
      expect.stringContaining('16 of 16 judged queries were used to choose the checkpoint of'),
    ])
    const remarks: string[] = []
    const vectors = { queries: path('chosen.npy'), docs: path('docs.npy') }
    await rerankRun(
      { run, ...vectors, qrels: path('train.trec'), out: path('measured.trec') },
      { onRemark: (remark) => remarks.push(remark) },
    )
    expect(remarks.filter((remark) => remark.includes('used to train')).length).toBe(2)
  })

  test('gets a warning for settings that were tuned on its queries', async () => {
    const topics = temporaryFolder()
    await writeTopics(topics)
    const at = (name: string): string => join(topics, name)
    const inputs = { run: at('run.trec'), queries: at('queries.npy'), docs: at('docs.npy') }
    // Settings that were there before are not tuned; others are, whatever the verdict on them.
    for (const [qrels, verdict, remarks] of [
      ['topic.trec', 'default', []],
      ['as-it-is.trec', 'keep-run', ['20 of 20 judged queries were used to tune']],
    ] as const) {
      const tunedFile = at(`${verdict}.json`)
      const { tuned } = await tuneRun({ ...inputs, qrels: at(qrels), out: tunedFile })
      expect(tuned.verdict).toBe(verdict)
      const out = at(`${verdict}.trec`)
      await rerankRun({ ...inputs, tuned, tunedFile, force: true, out })
      expect(await remarksOf(at(qrels), out)).toEqual(
        remarks.map((remark) => expect.stringContaining(`${remark} ${tunedFile}`)),
      )
    }
  })
})
