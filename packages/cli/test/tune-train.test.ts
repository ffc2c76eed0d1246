import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { kith, succeed } from './support.ts'
import { writeTurned } from './turned.ts'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)
const read = (name: string): string => readFileSync(path(name), 'utf8')

beforeAll(() => writeTurned(folder))

const inputs = (queries: string): string[] => [
  ...['--docs', path('docs.npy'), '--qrels', path('train.trec'), '--dev-qrels', path('dev.trec')],
  ...['--train-queries', path(queries), '--train-run', path('run.trec')],
  ...['--dev-queries', path(queries), '--dev-run', path('run.trec')],
]

describe('kith tune --train', () => {
  const args = (trials: string): string[] => [
    ...['tune', '--train', ...inputs('queries.npy'), '--adapter', 'linear', '--epochs', '12'],
    ...['--learning-rate', '0.04', '--inverse-temperature', '10', '--trials', trials],
    ...['--out', path('tuned')],
  ]
  const found = () => JSON.parse(read('tuned/tuned-training.json'))

  test('finds settings that learn better, ends trials that fall behind, and goes on', () => {
    const { err, code } = kith(...args('8'))
    expect(code, err).toBe(0)
    expect(err).toMatch(
      /trial 1: nDCG@10 0\.\d+ \(learningRate 1, inverseTemperature 1, evidence false\), 1 of 8/,
    )
    const first = found()
    expect(first.trials).toHaveLength(8)
    const out = succeed(...args('14'))
    expect(out).toMatch(/the best model, dev nDCG@10/)
    const { winner, trials } = found()
    expect(trials.slice(0, 8)).toEqual(first.trials)
    expect(winner.value).toBeGreaterThan(trials[0].value)
    const lengths = trials.map(({ course }: { course: number[] }) => course.length)
    expect(Math.min(...lengths)).toBeLessThan(Math.max(...lengths))
    const best = `tuned/trial-${String(winner.trial + 1).padStart(3, '0')}`
    expect(existsSync(path(`${best}/adapter.safetensors`))).toBe(true)
    const models = trials.filter(({ trial }: { trial: number }) =>
      existsSync(path(`tuned/trial-${String(trial + 1).padStart(3, '0')}/adapter.safetensors`)),
    )
    expect(models).toHaveLength(1)
    expect(read('tuned/curves.html')).toContain('Validation loss')
    // Trials of another model are no part of this search.
    const other = kith(...args('15'), '--adapter', 'mlp')
    expect(other.code).toBe(1)
    expect(other.err).toMatch(/study\.jsonl/)
    expect(found().trials).toHaveLength(14)
  }, 180_000)

  test('needs dev queries', () => {
    const without = [
      ...['tune', '--train', '--docs', path('docs.npy'), '--qrels', path('train.trec')],
      ...['--train-queries', path('queries.npy'), '--train-run', path('run.trec')],
      ...['--adapter', 'linear', '--out', path('none')],
    ]
    const { code, err } = kith(...without)
    expect(code).toBe(2)
    expect(err).toMatch(/dev-queries/)
  })
})
