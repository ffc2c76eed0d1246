import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openEmbeddings, writeEmbeddings } from '@kith/ir'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { writeTurned } from '../../pipelines/test/turned.ts'
import { kith, succeed } from './support.ts'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)
const read = (name: string): string => readFileSync(path(name), 'utf8')

beforeAll(() => writeTurned(folder))

const inputs = (queries: string): string[] => [
  ...['--docs', path('docs.npy'), '--qrels', path('train.trec'), '--dev-qrels', path('dev.trec')],
  ...['--train-queries', path(queries), '--train-run', path('run.trec')],
  ...['--dev-queries', path(queries), '--dev-run', path('run.trec')],
]

describe('kith train', () => {
  test('trains an adapter that kith adapt, train compare and report accept', () => {
    const args = [
      ...['train', ...inputs('queries.npy'), '--adapter', 'mlp', '--set', 'epochs=60'],
      ...['--set', 'learningRate=0.02', '--set', 'inverseTemperature=10'],
      ...['--set', 'weightDecay=0'],
    ]
    const { code, out, err } = kith(...args, '--out', path('adapter'))
    expect(code, err).toBe(0)
    expect(err).toMatch(
      /step 0: validation loss \d+\.\d+ \(original labels\), MRR@10 \d\.\d+, nDCG@10/,
    )
    expect(out).toMatch(/all steps done \(60 steps\); the weights of step \d+, the best/)
    expect(out).toMatch(/curves\.html: validation loss and nDCG@10/)
    const adapted = succeed(
      ...['adapt', '--adapter', path('adapter'), '--queries', path('queries.npy')],
      ...['--out', path('adapted.npy')],
    )
    expect(adapted).toContain('adapted.npy: 48 queries adapted')
    const compare = ['train', 'compare', path('adapter'), '--out']
    expect(succeed(...compare, path('curves.html'))).toContain('1 trainings')
    succeed(
      ...['search', '--queries', path('adapted.npy'), '--docs', path('docs.npy')],
      ...['--top', '80', '--out', path('adapted.trec')],
    )
    // The page of two runs, with the curves; the same bytes again.
    const report = [
      ...['report', '--qrels', path('dev.trec'), '--run', path('run.trec')],
      ...['--run', path('adapted.trec'), '--training', path('adapter'), '--out'],
    ]
    succeed(...report, path('report.html'))
    expect(read('report.html')).toMatch(/Significantly better/)
    expect(read('report.html')).toContain('kith report --qrels')
    const first = read('report.html')
    succeed(...report, path('report.html'))
    expect(read('report.html')).toBe(first)
    // The same command finds it done; other settings are refused.
    expect(JSON.parse(succeed(...args, '--out', path('adapter'), '--json'))).toMatchObject({
      steps: 60,
      ended: 'done',
      cut: { training: 0, validation: 0 },
    })
    expect(kith(...args, '--out', path('adapter'), '--set', 'seed=5')).toMatchObject({
      code: 1,
      err: expect.stringContaining('seed'),
    })
  })

  test('names the default of --target in its help', () => {
    const help = succeed('train', '--help')
    expect(help).toMatch(/--target KIND .* \(default: judgments; --adapter linear also learns/)
    expect(help).not.toContain('default: mixed')
  })

  test('says so if no checkpoint is better than the start on dev queries', () => {
    const out = succeed(
      ...['train', ...inputs('queries.npy'), '--adapter', 'mlp', '--set', 'epochs=1'],
      ...['--set', 'learningRate=0', '--out', path('still')],
    )
    expect(out).toContain('all steps done (1 steps); the weights from before training')
    expect(out).not.toContain('next:')
    expect(out.trimEnd().split('\n').at(-1)).toBe(
      'keep the old encoder: no later weights are better on the dev queries',
    )
  })

  test('says so if no checkpoint is better than the start on held-out queries', () => {
    const out = succeed(
      ...['train', '--docs', path('docs.npy'), '--qrels', path('train.trec'), '--adapter', 'mlp'],
      ...['--train-queries', path('queries.npy'), '--train-run', path('run.trec')],
      ...['--set', 'learningRate=0', '--set', 'holdOut=0.65', '--out', path('unmoved')],
    )
    expect(out).toContain('ended early (5 steps); the weights from before training')
    expect(out).not.toContain('next:')
    expect(out).toContain('on 10 held-out queries, searching all documents:')
    expect(out.trimEnd().split('\n').at(-1)).toBe(
      'keep the old encoder: training gains nothing on held-out queries',
    )
  })

  test('without dev queries, prints figures of held-out ones and the commands that come next', () => {
    const file = (name: string) => ['--train-queries', path(name)]
    const args = [
      ...['train', '--docs', path('docs.npy'), '--qrels', path('train.trec')],
      ...[...file('queries.npy'), '--train-run', path('run.trec'), '--adapter', 'mlp'],
      ...['--set', 'epochs=100', '--set', 'learningRate=0.02', '--set', 'inverseTemperature=10'],
      ...['--set', 'weightDecay=0', '--out', path('tested')],
    ]
    const { code, out, err } = kith(...args)
    expect(code, err).toBe(0)
    expect(err).toContain('6 of 32 judged queries are held out')
    expect(out).toMatch(
      /on 6 held-out queries, searching all documents:\n {2}nDCG@10 0\.\d{4} before, [01]\.\d{4} after \(\+0\.\d{4}, p = 0\.\d{4}\)/,
    )
    const next = out
      .slice(out.indexOf('next:\n') + 6)
      .trimEnd()
      .split('\n')
      .slice(0, -1)
    expect(next.map((line) => line.trim().split(' ').slice(0, 2).join(' '))).toEqual([
      ...['kith adapt', 'kith search', 'kith eval'],
    ])
    for (const line of next) {
      const words = line.trim().split(' ').slice(1)
      succeed(...words.map((word) => (/^trained/.test(word) ? path(word) : word)))
    }
    const judged = kith(
      ...['eval', '--qrels', path('train.trec'), '--run', path('run.trec')],
      ...['--run', path('trained.trec')],
    )
    expect(judged.err).toMatch(/^trained\.trec: 26 of 32 judged queries were used to train/)
    // A warning is no remark: --quiet prints it, and JSON has it.
    const [qrels, run] = [path('train.trec'), path('trained.trec')]
    const quiet = kith('eval', '--qrels', qrels, '--run', run, '--quiet', '--json')
    expect(quiet.err).toMatch(/^trained\.trec: 26 of 32 judged queries were used to train/)
    const { warnings } = JSON.parse(quiet.out)
    expect(warnings).toEqual([quiet.err.trimEnd()])
    const plain = succeed('eval', '--qrels', qrels, '--run', path('run.trec'), '--json')
    expect(JSON.parse(plain).warnings).toEqual([])
    const report = ['report', '--qrels', qrels, '--run', run, '--training', path('tested')]
    expect(kith(...report, '--out', path('page.html'))).toMatchObject({
      code: 1,
      err: expect.stringContaining('contains no validations; run kith train with --dev-queries'),
    })
  })

  test('prints a next search with the metric of the run', async () => {
    const docs = await openEmbeddings(path('docs.npy'))
    const ids = Array.from({ length: docs.rows }, (_, row) => docs.idOf(row))
    const long = ids.map((_, row) =>
      docs.read(row, row + 1).map((value) => value * (1 + (row % 9))),
    )
    await docs.close()
    await writeEmbeddings(path('long.npy'), { dimensions: docs.dimensions, ids }, long)
    const vectors = ['--queries', path('queries.npy'), '--docs', path('long.npy')]
    succeed('search', ...vectors, '--metric', 'cosine', '--out', path('cosine.trec'))
    const { code, out, err } = kith(
      ...['train', '--docs', path('long.npy'), '--qrels', path('train.trec'), '--set', 'steps=1'],
      ...['--train-queries', path('queries.npy'), '--train-run', path('cosine.trec')],
      ...['--adapter', 'mlp', '--set', 'holdOut=0', '--out', path('by-cosine')],
    )
    expect(code, err).toBe(0)
    expect(err).toContain('training compares by inner product')
    expect(out).toContain(`--docs ${path('long.npy')} --metric cosine --out trained.trec`)
  })

  test('accepts labels of kith labels, and skips missing data with --missing skip', () => {
    const labels = ['--queries', path('queries.npy'), '--docs', path('docs.npy')]
    succeed(
      ...['labels', '--run', path('run.trec'), ...labels, '--qrels', path('train.trec')],
      ...['--out', path('labels.jsonl')],
    )
    const train = (...more: string[]) =>
      kith(
        ...['train', ...inputs('queries.npy'), '--adapter', 'mlp', '--set', 'steps=3'],
        ...['--labels', path('labels.jsonl'), '--json', ...more],
      )
    expect(train('--out', path('by-labels'))).toMatchObject({ code: 0 })
    expect(existsSync(path('by-labels/adapter.safetensors'))).toBe(true)
    writeFileSync(path('labels.jsonl'), `${read('labels.jsonl').split('\n')[0]}\n`)
    expect(train('--out', path('other'))).toMatchObject({
      code: 1,
      err: expect.stringMatching(/31 queries of the run have no labels .*--missing skip/),
    })
    const skipped = train('--out', path('other'), '--missing', 'skip')
    expect(skipped).toMatchObject({
      code: 0,
      err: expect.stringContaining('31 queries of the run have no labels'),
    })
    expect(JSON.parse(skipped.out).missing.training).toMatchObject([{ count: 31 }])
  })

  test('learns from a teacher without judgments', () => {
    const files = [
      ...['--docs', path('docs.npy'), '--train-queries', path('queries.npy')],
      ...['--train-run', path('run.trec'), '--dev-queries', path('queries.npy')],
      ...['--dev-run', path('run.trec'), '--adapter', 'mlp', '--target', 'distil'],
    ]
    const trained = kith(
      ...['train', ...files, '--teacher', path('run.trec'), '--set', 'depth=5'],
      ...['--set', 'steps=2', '--set', 'inverseTemperature=1', '--out', path('taught')],
    )
    expect(trained.code, trained.err).toBe(0)
    expect(trained.err).toContain('with inverse temperature 1, the softmax')
    expect(trained.err).toContain('(agreement with the teacher)')
    expect(existsSync(path('taught/adapter.safetensors'))).toBe(true)
    const printed = succeed(
      ...['labels', '--target', 'distil', '--run', path('run.trec')],
      ...['--set', 'depth=5', '--out', path('taught.jsonl')],
    )
    expect(printed).toMatch(/queries with labels +48\n.*90 % of a label +\d\.\d\d on average/)
    const first = JSON.parse(read('taught.jsonl').split('\n')[0]!)
    expect(first).toMatchObject({ query: 'q0', groundTruth: [] })
    expect(first.docs).toHaveLength(5)
    for (const [args, message] of [
      [['train', ...files], '--target distil needs a ranking to learn from'],
      [['train', ...inputs('queries.npy'), '--teacher', 'x'], 'work only with --target distil'],
      [['labels', '--run', 'x', '--target', 'distil', '--qrels', 'y'], 'leave out --qrels'],
      [['labels', '--run', 'x', '--docs', 'y', '--set', 'depth=5'], 'unknown setting'],
      [['labels', '--run', 'x', '--docs', 'y'], '--queries FILE is required'],
      [['train', ...inputs('queries.npy'), '--target', 'distill'], 'query-centric, distil'],
      [
        ['tune-training', ...inputs('queries.npy'), '--target', 'distil'],
        'use kith train --target distil',
      ],
    ] as const) {
      const refused = kith(...args, '--out', path('x'))
      expect(refused).toMatchObject({ code: 2, err: expect.stringContaining(message) })
    }
  })

  test('fits a linear adapter, tests it, and prints the next command', () => {
    const args = [
      ...[
        'train',
        '--docs',
        path('docs.npy'),
        '--qrels',
        path('train.trec'),
        '--adapter',
        'linear',
      ],
      ...['--train-queries', path('queries.npy'), '--train-run', path('run.trec')],
      ...['--set', 'shrinkage=0.1'],
    ]
    const { code, out, err } = kith(...args, '--out', path('fitted'))
    expect(code, err).toBe(0)
    expect(err).toContain('6 of 32 judged queries are held out')
    expect(out).toContain('a linear adapter (32 queries, labels; T 5, Λ 0.1)')
    expect(out).toMatch(/nDCG@10 0\.\d{4} before, [01]\.\d{4} after \(\+0\.\d{4}, p = 0\.\d{4}\)/)
    expect(out.trimEnd().split('\n').at(-1)).toBe('use the adapter: it gains on held-out queries')
    const lines = out
      .slice(out.indexOf('next:\n') + 6)
      .split('\n')
      .slice(0, 2)
    for (const line of lines) {
      const words = line.trim().split(' ').slice(1)
      succeed(...words.map((word) => (/^adapted/.test(word) ? path(word) : word)))
    }
    const untested = kith(...args, '--set', 'holdOut=0', '--out', path('untested'))
    expect(untested.out.trimEnd().split('\n').at(-1)).toMatch(/^not tested/)
    const kept = kith(...args, ...inputs('queries.npy').slice(-4), '--dev-qrels', path('none.trec'))
    expect(kept.code).not.toBe(0)
    const refused = kith(...args, '--set', 'epochs=3', '--out', path('y'))
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('is fitted') })
  })

  test('has at most 25 options', () => {
    const help = succeed('train', '--help-all')
    const options = help.slice(0, help.indexOf('Settings (--set)')).match(/^ {2}--[a-z-]+/gm)
    expect(options!.length).toBeLessThanOrEqual(25)
  })

  test('names wrong inputs', () => {
    const train = (...more: string[]) =>
      kith('train', ...inputs('queries.npy'), '--out', path('x'), '--adapter', 'mlp', ...more)
    expect(train('--set', 'steps=2', '--set', 'epochs=2').code).toBe(2)
    expect(train('--set', 'topLayers=2')).toMatchObject({
      code: 2,
      err: expect.stringContaining('an adapter has no layers'),
    })
    expect(train('--labels', path('labels.jsonl'), '--target', 'mixed').code).toBe(2)
    expect(kith('adapt', '--adapter', folder, '--queries', 'x', '--out', 'y').code).toBe(1)
    const compare = kith('train', 'compare', folder, '--out', path('x.svg'))
    expect(compare).toMatchObject({ code: 1, err: expect.stringContaining('metrics.jsonl') })
    expect(existsSync(path('x'))).toBe(false)
  })
})

test('kith serve refuses an adapter if it embeds no texts', () => {
  const { code, err } = kith('serve', '--model', 'none', '--adapter', 'adapter')
  expect(code).toBe(2)
  expect(err).toContain(
    '--adapter changes embeddings of query texts, but --model none embeds no texts',
  )
})
