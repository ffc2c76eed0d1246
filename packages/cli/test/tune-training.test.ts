import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { writeTurned } from '../../pipelines/test/turned.ts'
import { kith } from './support.ts'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)

beforeAll(() => writeTurned(folder))

const training = (): string[] => [
  ...['tune-training', '--docs', path('docs.npy'), '--qrels', path('train.trec')],
  ...['--train-queries', path('queries.npy'), '--train-run', path('run.trec')],
  ...['--adapter', 'mlp', '--set', 'steps=4', '--trials', '2', '--out', path('tuned')],
]

describe('kith tune-training', () => {
  test('prints the result of each trial and the best trial', () => {
    const dev = [
      ...['--dev-queries', path('queries.npy'), '--dev-run', path('run.trec')],
      ...['--dev-qrels', path('dev.trec'), '--set', 'validateEvery=2'],
    ]
    const { code, out, err } = kith(...training(), ...dev)
    expect(code, err).toBe(0)
    expect(err).toMatch(
      /trial 1: nDCG@10 0\.\d+ \(learningRate 1, inverseTemperature 1, evidence false\), 1 of 2/,
    )
    expect(out).toMatch(/trial-00\d: the best model, dev nDCG@10/)
    expect(out).toMatch(/the given options with one-hot targets: 0\.\d{4}/)
    const { trials } = JSON.parse(readFileSync(path('tuned/tuned-training.json'), 'utf8'))
    expect(trials).toHaveLength(2)
    const again = kith(...training(), ...dev, '--json')
    expect(JSON.parse(again.out)).toMatchObject({ out: path('tuned'), first: trials[0] })
    const other = kith(...training(), ...dev, '--set', 'unitLength=true')
    expect(other).toMatchObject({ code: 1, err: expect.stringContaining('study.jsonl') })
  })

  test('refuses to run without dev queries', () => {
    const { code, err } = kith(...training(), '--out', path('none'))
    expect(code).toBe(2)
    expect(err).toMatch(/dev-queries/)
    const linear = kith(...training(), '--adapter', 'linear', '--out', path('none'))
    expect(linear).toMatchObject({ code: 2, err: expect.stringContaining('use kith train') })
    expect(existsSync(path('none'))).toBe(false)
  })
})
