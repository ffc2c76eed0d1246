import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { kithProcess, succeed } from '../../packages/cli/test/support.ts'
import { writeTurned } from '../../packages/pipelines/test/turned.ts'
import { temporaryFolder } from '../files.ts'
import { onSmallDisk, smallDisks } from '../small-disk.ts'
import { writeSmallModel } from './small-model.mjs'

// Real processes, on any machine: slow is not wrong.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)

beforeAll(async () => {
  await writeTurned(folder)
  writeSmallModel(path('model'))
  copyFileSync(path('run.trec'), path('other.trec'))
  const texts = Array.from({ length: 80 }, (_, i) =>
    JSON.stringify({ _id: `d${i}`, text: `a ${i}` }),
  )
  writeFileSync(path('corpus.jsonl'), `${texts.join('\n')}\n`)
  succeed('train', ...trained(), '--set', 'steps=2', '--out', path('adapter'))
})

const queries = (): string[] => ['--queries', path('queries.npy'), '--docs', path('docs.npy')]
const ranked = (): string[] => ['--run', path('run.trec'), ...queries()]
const judged = (): string[] => [...ranked(), '--qrels', path('train.trec')]
const trained = (): string[] => [
  ...['--docs', path('docs.npy'), '--qrels', path('train.trec'), '--adapter', 'linear'],
  ...['--train-queries', path('queries.npy'), '--train-run', path('run.trec')],
  ...['--dev-qrels', path('dev.trec'), '--dev-queries', path('queries.npy')],
  ...['--dev-run', path('run.trec')],
]

/** Commands that write, but for the option with their output, and the output's name. */
const commands: [string[], string, () => string[]][] = [
  [['studio', '--export'], 'studio', ranked],
  [['sweep', '--out'], 'sweep', () => [...judged(), '--set', 'contextSize=20']],
  [['train', '--out'], 'trained', () => [...trained(), '--set', 'steps=2']],
  [['tune-training', '--out'], 'trials', () => [...trained(), '--set', 'steps=2', '--trials', '2']],
  [['tune', '--out'], 'tuned.json', () => [...judged(), '--trials', '2']],
  [['convert', '--out'], 'docs.fvecs', () => ['--kind', 'embeddings', '--in', path('docs.npy')]],
  [['convert', '--out'], 'run.json', () => ['--kind', 'run', '--in', path('run.trec')]],
  [['search', '--out'], 'run.trec', queries],
  [['rerank', '--out'], 'run.trec', ranked],
  [['fuse', '--out'], 'run.trec', () => ['--run', path('run.trec'), '--run', path('other.trec')]],
  [['labels', '--out'], 'labels.jsonl', judged],
  [['labels', '--out'], 'labels.parquet', judged],
  [['audit', '--out'], 'audit', judged],
  [['term-statistics', '--out'], 'terms.bin', () => ['--corpus', path('corpus.jsonl')]],
  [
    ['report', '--out'],
    'report.html',
    () => ['--qrels', path('dev.trec'), '--run', path('run.trec')],
  ],
  [
    ['adapt', '--out'],
    'queries.npy',
    () => ['--adapter', path('adapter'), '--queries', path('queries.npy')],
  ],
  [
    ['encode', '--out'],
    'texts.npy',
    () => ['--model', path('model'), '--input', path('corpus.jsonl')],
  ],
  [['load', '--store'], 'lance', () => ['--docs', path('docs.npy')]],
]

/** The error that a command ends in: one line behind the remarks on its work. */
function errorOf([command, name, rest]: (typeof commands)[number], place: string): string {
  const { code, err } = kithProcess(...command, join(place, name), ...rest())
  expect(code, err).toBe(1)
  const lines = err.split('\n').filter((line) => line.startsWith('kith: '))
  expect(lines, err).toHaveLength(1)
  expect(err, 'no stack').not.toMatch(/^ +at /m)
  expect(err.endsWith(`${lines[0]}\n`), err).toBe(true)
  return lines[0]!
}

describe('a command that cannot write prints the reason in one line', () => {
  const named = commands.map((command) => [command[0].join(' '), command] as const)

  test.runIf(smallDisks).each(named)('for %s on a read-only disk', async (_, command) => {
    const place = path('frozen')
    await onSmallDisk(place, '4m', ({ freeze }) => {
      freeze()
      expect(errorOf(command, place)).toMatch(/^kith: .*\/frozen\/.*: its disk is read-only/)
    })
  })

  test.each(named)('for %s below a file', (_, command) => {
    writeFileSync(path('file'), '')
    expect(errorOf(command, path('file'))).toMatch(
      /^kith: .*\/file\/.*: a part of its path is a file, not a folder/,
    )
  })

  test.runIf(smallDisks).each(named)('for %s on a full disk', async (_, command) => {
    const place = path('full')
    await onSmallDisk(place, '16k', () => {
      writeFileSync(join(place, 'filling'), Buffer.alloc(12 * 1024))
      expect(errorOf(command, place)).toMatch(/^kith: .*\/full\/.*: there is no space left/)
    })
  })
})
