import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { writeEmbeddings } from '@kith/ir'
import { submitLabels } from '@kith/pipelines/labels'
import { beforeAll, describe, expect, test } from 'vitest'
import { succeed } from '../../packages/cli/test/support.ts'
import { writeTurned } from '../../packages/pipelines/test/turned.ts'
import { temporaryFolder } from '../files.ts'
import { emptyDatabase, postgres, run } from '../postgres.ts'
import { hasWorkers, holds, signaled } from './signaled.ts'
import { writeSmallModel } from './small-model.mjs'

const data = temporaryFolder()
const at = (name: string): string => join(data, name)
const turned = (name: string): string => join(data, 'turned', name)
const sizes = { documents: 1000, queries: 6000, dimensions: 16 }

beforeAll(async () => {
  const rows = function* (count: number, dimensions: number, sway: number) {
    for (let i = 0; i < count; i++) {
      yield Float32Array.from({ length: dimensions }, (_, j) => Math.sin(i * 7 + j * 3 + sway))
    }
  }
  const ids = (count: number, letter: string) =>
    Array.from({ length: count }, (_, i) => `${letter}${i}`)
  const write = (name: string, count: number, dimensions: number, letter: string, sway: number) =>
    writeEmbeddings(
      at(name),
      { dimensions, ids: ids(count, letter) },
      rows(count, dimensions, sway),
    )
  await write('docs.npy', sizes.documents, sizes.dimensions, 'd', 0)
  await write('queries.npy', sizes.queries, sizes.dimensions, 'q', 1)
  await write('many.npy', 40_000, 64, 'd', 0)
  await write('eights.npy', 100_000, 8, 'q', 1)
  const judged = (count: number) =>
    ids(count, 'q')
      .map((id, i) => `${id} 0 d${(i * 13) % sizes.documents} 1\n`)
      .join('')
  writeFileSync(at('qrels.trec'), judged(sizes.queries))
  writeFileSync(at('few.trec'), judged(60))
  // A small model has as much to lose as a large one, if it has many texts.
  const texts = ids(20_000, 't').map((id, i) => JSON.stringify({ _id: id, text: `kith ${i}` }))
  writeFileSync(at('texts.jsonl'), `${texts.join('\n')}\n`)
  writeSmallModel(at('model'))
  mkdirSync(at('notes'))
  writeFileSync(at('notes/one.md'), '# Bees\n\nBees dance.\n')
  succeed('search', ...pair(), '--top', '40', '--out', at('run.trec'))
  mkdirSync(turned(''))
  await writeTurned(turned(''))
  succeed('train', ...trained(), '--set', 'steps=2', '--out', at('adapter'))
})

const pair = (): string[] => ['--queries', at('queries.npy'), '--docs', at('docs.npy')]
const files = (): string[] => [...pair(), '--run', at('run.trec')]
const judged = (): string[] => [...files(), '--qrels', at('qrels.trec')]
const trained = (): string[] => [
  ...['--docs', turned('docs.npy'), '--adapter', 'mlp', '--set', 'learningRate=0.02'],
  ...['--train-queries', turned('queries.npy'), '--train-run', turned('run.trec')],
  ...['--qrels', turned('train.trec'), '--dev-qrels', turned('dev.trec')],
  ...['--dev-queries', turned('queries.npy'), '--dev-run', turned('run.trec')],
]
const signals = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const

/** Everything that a folder holds. */
function namesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true }).map(String).sort()
}

/** The bytes that a folder holds, but for locks. */
function sizeOf(folder: string): number {
  return namesIn(folder)
    .filter((name) => !name.includes('.lock-'))
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false }))
    .reduce((sum, entry) => sum + (entry?.isFile() ? entry.size : 0), 0)
}

/** Whether something is being written in a folder under a temporary name. */
const isWriting = (folder: string): boolean => namesIn(folder).some((name) => name.endsWith('.tmp'))

const hasLines = (file: string, count: number): boolean =>
  existsSync(file) && readFileSync(file, 'utf8').split('\n').length > count

/** A long command, and how to see that it is in the middle of its work. */
interface Long {
  name: string
  /** The name of its output. */
  file?: string
  args(out: string): string[]
  isMiddle(running: { pid: number; printed: string }, out: string): boolean
}

/** Commands that leave nothing: they start again. */
const anew: Long[] = [
  {
    name: 'search',
    file: 'out.trec',
    args: (out) => ['search', ...pair(), '--top', '200', '--out', out],
    isMiddle: (_, out) => isWriting(dirname(out)),
  },
  {
    name: 'rerank',
    file: 'out.trec',
    args: (out) => ['rerank', ...files(), '--out', out],
    isMiddle: (_, out) => isWriting(dirname(out)),
  },
  {
    name: 'sweep',
    args: (out) => ['sweep', ...judged(), '--out', out],
    isMiddle: ({ pid }) => hasWorkers(pid),
  },
  {
    name: 'audit',
    args: (out) => ['audit', ...judged(), '--out', out],
    isMiddle: ({ pid }) => hasWorkers(pid),
  },
  {
    name: 'report',
    args: (out) => [
      ...['report', '--qrels', at('qrels.trec'), '--out', out],
      ...['--run', at('run.trec'), '--run', at('again.trec')],
    ],
    isMiddle: ({ pid }) => holds(pid, at('run.trec')),
  },
  {
    name: 'convert',
    args: (out) => ['convert', '--kind', 'embeddings', '--in', at('many.npy'), '--out', out],
    isMiddle: (_, out) => isWriting(dirname(out)),
  },
  {
    name: 'adapt',
    args: (out) => [
      ...['adapt', '--adapter', at('adapter'), '--queries', at('eights.npy')],
      ...['--out', out],
    ],
    isMiddle: (_, out) => isWriting(dirname(out)),
  },
]

describe.each(anew)('kith $name leaves no file behind', ({ file, args, isMiddle }) => {
  test.each(signals)('after %s', async (signal, code) => {
    const folder = temporaryFolderIn(data)
    const out = join(folder, file ?? 'out.jsonl')
    copyFileSync(at('run.trec'), at('again.trec'))
    writeFileSync(out, 'what was there')
    writeFileSync(`${out}.meta.json`, '{"earlier":true}')
    const before = namesIn(folder)
    const ended = await signaled(args(out), [signal], (running) => isMiddle(running, out))
    expect(ended).toMatchObject({
      code,
      err: expect.stringMatching(/\nstopped; .* to start over\n/),
    })
    expect(namesIn(folder)).toEqual(before)
    expect(readFileSync(out, 'utf8')).toBe('what was there')
    expect(readFileSync(`${out}.meta.json`, 'utf8')).toBe('{"earlier":true}')
  })
})

/** Commands that go on where they were. */
const resumed: (Long & { result(out: string): string; left: RegExp; next: RegExp })[] = [
  {
    name: 'encode',
    args: (out) => [
      ...['encode', '--model', at('model'), '--input', at('texts.jsonl')],
      ...['--out', out],
    ],
    isMiddle: (_, out) => existsSync(`${out}.partial.json`),
    result: (out) => out,
    left: /^out\.npy\.partial(\.json(\.tmp)?)?$/,
    next: /finished work is kept in .*out\.npy: run the same command again to resume\n/,
  },
  {
    name: 'labels',
    args: (out) => ['labels', ...judged(), '--out', out],
    isMiddle: (_, out) => existsSync(`${out}.partial.json`),
    result: (out) => out,
    left: /^out\.npy\.partial(\.json(\.tmp)?)?$/,
    next: /finished work is kept in .*out\.npy: run the same command again to resume\n/,
  },
  {
    name: 'tune',
    args: (out) => [
      ...['tune', ...files(), '--qrels', at('few.trec')],
      ...['--trials', '24', '--out', out],
    ],
    isMiddle: (_, out) => hasLines(`${out}.study.jsonl`, 2),
    result: (out) => out,
    left: /^out\.npy\.study\.jsonl$/,
    next: /finished trials are kept in .*out\.npy\.study\.jsonl; run the same command again to resume\n/,
  },
  {
    name: 'train',
    args: (out) => [
      ...['train', ...trained(), '--set', 'steps=600', '--set', 'validateEvery=300'],
      ...['--out', `${out}-folder`],
    ],
    isMiddle: (_, out) => hasLines(`${out}-folder/metrics.jsonl`, 3),
    result: (out) => `${out}-folder/adapter.safetensors`,
    left: /^out\.npy-folder(\/metrics\.jsonl|\/checkpoints(\/(best|latest)\.safetensors)?)?$/,
    next: /run the same command again to resume from the checkpoint in .*out\.npy-folder\n/,
  },
  {
    name: 'tune-training',
    args: (out) => [
      ...['tune-training', ...trained(), '--set', 'steps=300', '--set', 'validateEvery=100'],
      ...['--trials', '2', '--out', `${out}-folder`],
    ],
    isMiddle: (_, out) => hasLines(`${out}-folder/trial-001/metrics.jsonl`, 3),
    result: (out) => `${out}-folder/tuned-training.json`,
    left: /^out\.npy-folder(\/study\.jsonl|\/trial-001.*)?$/,
    next: /finished trials are kept in .*; run the same command again to resume\n/,
  },
]

test.each(resumed)(
  'kith $name resumes after each of two signals',
  async ({ args, isMiddle, result, left, next }) => {
    const undisturbed = join(temporaryFolderIn(data), 'out.npy')
    succeed(...args(undisturbed))
    const folder = temporaryFolderIn(data)
    const out = join(folder, 'out.npy')
    writeFileSync(out, 'what was there')
    writeFileSync(`${out}.meta.json`, '{"earlier":true}')
    const before = namesIn(folder)
    for (const [signal, code] of signals) {
      const kept = sizeOf(folder)
      const ended = await signaled(
        args(out),
        [signal],
        (running) => isMiddle(running, out) && sizeOf(folder) > kept,
      )
      expect(ended).toMatchObject({ code, err: expect.stringMatching(next) })
      for (const name of namesIn(folder)) if (!before.includes(name)) expect(name).toMatch(left)
      expect(readFileSync(out, 'utf8')).toBe('what was there')
      expect(readFileSync(`${out}.meta.json`, 'utf8')).toBe('{"earlier":true}')
    }
    succeed(...args(out))
    expect(readFileSync(result(out)).equals(readFileSync(result(undisturbed)))).toBe(true)
  },
)

test('kith encode does not promise to resume before it has kept a part', async () => {
  const out = join(temporaryFolderIn(data), 'out.npy')
  const args = ['encode', '--model', at('model'), '--input', at('texts.jsonl'), '--out', out]
  const isMiddle = () => existsSync(`${out}.partial`)
  const { code, err } = await signaled(args, ['SIGINT'], isMiddle)
  expect(code).toBe(130)
  const kept = existsSync(`${out}.partial.json`)
  expect(err).toMatch(
    kept ? /kept in .*out\.npy: .* to resume\n/ : /no work was kept: .* to start over/,
  )
  expect(kept).toBe(false)
})

test('kith train reports the saved checkpoint, and treats a repeated Ctrl-C as one', async () => {
  const out = join(temporaryFolderIn(data), 'trained')
  const args = ['train', ...trained(), '--set', 'steps=4000', '--out', out]
  const isMiddle = () => hasLines(join(out, 'metrics.jsonl'), 3)
  // npx passes on what the terminal has sent to the whole group.
  const ended = await signaled(args, ['SIGINT', 'SIGINT'], isMiddle)
  expect(ended.code).toBe(130)
  const saved = /the checkpoint of step (\d+) of 4000 is saved/.exec(ended.err)
  expect(Number(saved?.[1])).toBeGreaterThan(0)
  expect(ended.err).toContain('stopping: finishing and saving the current step')
})

/** The first message of a client of `kith mcp`. */
const initialize = {
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
}

test.each([
  ['serve', () => ['serve', '--port', '0', '--model', 'none'], /kith serve is listening on/],
  ['studio', () => ['studio', ...files(), '--port', '0'].slice(0, -2), /Kith Studio: http/],
  ['mcp', () => ['mcp', '--folder', at('notes'), '--model', at('model')], /"id":1/],
])('kith %s runs until it is stopped, and exits with 0 on a signal', async (name, args, up) => {
  const input = name === 'mcp' ? `${JSON.stringify(initialize)}\n` : ''
  for (const [signal] of signals) {
    const ended = await signaled(args(), [signal], ({ printed }) => up.test(printed), input)
    expect(ended.code, ended.err).toBe(0)
  }
})

test('kith dataset wordnet leaves no temporary file', async () => {
  for (const [signal, code] of signals) {
    const out = join(temporaryFolderIn(data), 'wordnet')
    const isMiddle = () => existsSync(join(out, 'corpus.jsonl'))
    const ended = await signaled(['dataset', 'wordnet', '--out', out], [signal], isMiddle)
    expect(ended).toMatchObject({ code, err: expect.stringContaining('to start over') })
    expect(isWriting(out)).toBe(false)
  }
})

describe('commands with stores stop on a signal', () => {
  const database = emptyDatabase()
  const stores = [
    {
      name: 'LanceDB',
      address: () => at('lance'),
      there: true,
      isMiddle: (name: string) => existsSync(at(`lance/${name}.lance`)),
    },
    {
      name: 'PostgreSQL',
      address: () => database.url,
      there: postgres,
      isMiddle: async () => (await run(database.url, COPYING)).length > 0,
    },
  ]
  const COPYING = `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND state = 'active' AND query LIKE 'COPY%'`

  test.each(stores.filter(({ there }) => there))(
    'kith load into $name',
    async ({ address, isMiddle }) => {
      for (const [signal, code] of signals) {
        const name = signal.toLowerCase()
        const store = `${address()}#${name}`
        const args = ['load', '--store', store, '--docs', at('many.npy')]
        const ended = await signaled(args, [signal], () => isMiddle(name))
        expect(ended.code, ended.err).toBe(code)
        expect(ended.err).toMatch(
          /stopped; run the same command again; documents that are already loaded/,
        )
        expect(JSON.parse(succeed(...args, '--json'))).toMatchObject({ documents: 40_000 })
      }
    },
  )

  test.runIf(postgres)('kith work finishes its jobs, and kith jobs export resumes', async () => {
    const store = ['--store', `${database.url}#batch`]
    succeed('load', ...store, '--docs', at('docs.npy'))
    const queries = { run: at('run.trec'), queries: at('queries.npy'), qrels: at('qrels.trec') }
    const inputs = { ...queries, store: `${database.url}#batch`, out: '' }
    await submitLabels(inputs, { name: 'mine', jobSize: 100 })
    for (const [signal] of signals) {
      const args = ['work', ...store, '--workers', '1']
      const ended = await signaled(args, [signal], ({ printed }) =>
        /100 queries done/.test(printed),
      )
      expect(ended.code, ended.err).toBe(0)
      expect(ended.err).toContain('finishing the current jobs')
    }
    for (const [signal, code] of signals) {
      const args = ['work', ...store, '--workers', '1', '--batch', 'mine', '--until-empty']
      const ended = await signaled(args, [signal], ({ printed }) =>
        /100 queries done/.test(printed),
      )
      expect(ended.code, ended.err).toBe(code)
      expect(ended.err).toMatch(/stopped; jobs left: \d+; run the same command again to resume\n$/)
    }
    succeed('work', ...store, '--until-empty')
    const whole = at('whole.jsonl')
    const exporting = (to: string) => ['jobs', 'export', ...store, '--batch', 'mine', '--out', to]
    succeed(...exporting(whole))
    for (const [signal, code] of signals) {
      const out = at(`exported-${signal}.jsonl`)
      const isMiddle = () => existsSync(`${out}.partial.json`)
      const ended = await signaled(exporting(out), [signal], isMiddle)
      expect(ended).toMatchObject({
        code,
        err: expect.stringContaining('run the same command again'),
      })
      expect(existsSync(out)).toBe(false)
      succeed(...exporting(out))
      expect(readFileSync(out).equals(readFileSync(whole))).toBe(true)
    }
  })
})

let folders = 0

/** Another folder of the tests. */
function temporaryFolderIn(parent: string): string {
  const folder = join(parent, `folder-${folders++}`)
  mkdirSync(folder)
  return folder
}
