import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import type { Hooks } from '../src/job/hooks.ts'
import { type TuneTrainingInputs, tuneTraining } from '../src/train/tune-training.ts'
import { writeTurned } from './turned.ts'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)

beforeAll(() => writeTurned(folder))

const files = { queries: path('queries.npy'), run: path('run.trec') }
const inputs: TuneTrainingInputs = {
  docs: path('docs.npy'),
  training: { ...files, qrels: path('train.trec') },
  validation: { ...files, qrels: path('dev.trec') },
  adapter: 'mlp',
  settings: { epochs: 12, learningRate: 0.04, inverseTemperature: 10 },
  out: path('tuned'),
}
const tune = (trials: number, hooks: Hooks = {}) => tuneTraining({ ...inputs, trials }, hooks)

test('finds settings that learn better, ends trials that fall behind, and continues a study', async () => {
  const remarks: string[] = []
  const first = await tune(8, { onRemark: (remark) => remarks.push(remark) })
  expect(remarks).toContainEqual(
    expect.stringMatching(
      /^trial 1: nDCG@10 0\.\d+ \(learningRate 1, inverseTemperature 1, evidence false\), 1 of 8$/,
    ),
  )
  expect(first.trials).toHaveLength(8)
  const { winner, trials, best, missing, selectBy, settings } = await tune(14)
  expect(selectBy).toBe('nDCG@10')
  expect(missing).toEqual({ training: [], validation: [] })
  expect(trials.slice(0, 8)).toEqual(first.trials)
  expect(winner.value).toBeGreaterThan(trials[0]!.value)
  const written = JSON.parse(readFileSync(path('tuned/tuned-training.json'), 'utf8'))
  expect(written).toMatchObject({ winner, selectBy, first: trials[0] })
  expect(written.settings).toEqual(JSON.parse(JSON.stringify(settings)))
  const lengths = trials.map(({ course }) => course.length)
  expect(Math.min(...lengths)).toBeLessThan(Math.max(...lengths))
  const modelOf = (trial: number) =>
    path(`tuned/trial-${String(trial + 1).padStart(3, '0')}/adapter.safetensors`)
  expect(join(best, 'adapter.safetensors')).toBe(modelOf(winner.trial))
  expect(trials.filter(({ trial }) => existsSync(modelOf(trial)))).toEqual([winner])
  expect(readFileSync(path('tuned/curves.html'), 'utf8')).toContain('alidation loss')
  // Trials of another model are no part of this search.
  const other = { ...inputs, trials: 15, normalize: true }
  await expect(tuneTraining(other)).rejects.toThrow(/study\.jsonl/)
})

test('resumes the trial in which it was stopped', async () => {
  const own = { ...inputs, trials: 2, settings: { steps: 6, validateEvery: 2 } }
  const whole = await tuneTraining({ ...own, out: path('whole') })
  const controller = new AbortController()
  const reason = new Error('enough')
  const stopped = tuneTraining(
    { ...own, out: path('stopped') },
    {
      signal: controller.signal,
      onProgress: ({ stage, done }) => {
        if (stage === 'trial 2' && done === 3) controller.abort(reason)
      },
    },
  )
  await expect(stopped).rejects.toMatchObject({ code: 'ABORTED', cause: reason })
  expect(existsSync(path('stopped/tuned-training.json'))).toBe(false)
  const { trials } = await tuneTraining({ ...own, out: path('stopped') })
  expect(trials).toEqual(whole.trials)
})

test('refuses inputs without validation queries, and makes its own targets', async () => {
  await expect(tuneTraining({ ...inputs, validation: undefined })).rejects.toMatchObject({
    code: 'BAD_SETTING',
    message: expect.stringContaining('validation'),
  })
  const training = { ...inputs.training, labels: 'labels.jsonl' }
  await expect(tuneTraining({ ...inputs, training })).rejects.toMatchObject({
    code: 'BAD_SETTING',
    message: expect.stringContaining('labels'),
  })
})
