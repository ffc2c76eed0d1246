import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { kith, succeed } from './support.ts'
import { writeTurned } from './turned.ts'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)
const read = (name: string): string => readFileSync(path(name), 'utf8')

beforeAll(() => writeTurned(folder))

const search = (queries: string, out: string): string[] => [
  ...['search', '--queries', path(queries), '--docs', path('docs.npy')],
  ...['--top', '80', '--out', path(out)],
]
const inputs = (queries: string): string[] => [
  ...['--docs', path('docs.npy'), '--qrels', path('train.trec'), '--dev-qrels', path('dev.trec')],
  ...['--train-queries', path(queries), '--train-run', path('run.trec')],
  ...['--dev-queries', path(queries), '--dev-run', path('run.trec')],
]

describe('kith train', () => {
  test('an adapter learns, and kith adapt applies it', () => {
    const args = [
      ...['train', ...inputs('queries.npy'), '--adapter', 'linear', '--epochs', '60'],
      ...['--learning-rate', '0.02', '--inverse-temperature', '10', '--weight-decay', '0'],
    ]
    const { code, out, err } = kith(...args, '--out', path('adapter'))
    expect(code, err).toBe(0)
    expect(err).toMatch(
      /step 0: validation loss \d+\.\d+ \(original labels\), MRR@10 \d\.\d+, nDCG@10/,
    )
    expect(out).toMatch(/all steps done \(60 steps\); the weights of step \d+, the best/)
    const records = read('adapter/metrics.jsonl')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ kind }) => kind === 'validation')
    expect(records.at(-1).measures['nDCG@10']).toBeGreaterThan(records[0].measures['nDCG@10'] + 0.3)
    succeed(
      ...['adapt', '--adapter', path('adapter'), '--queries', path('queries.npy')],
      ...['--out', path('adapted.npy')],
    )
    succeed(...search('adapted.npy', 'adapted.trec'))
    const figure = (run: string) =>
      JSON.parse(succeed('eval', '--qrels', path('dev.trec'), '--run', path(run), '--json')).runs[0]
        .measures['nDCG@10']
    expect(figure('adapted.trec')).toBeGreaterThan(figure('run.trec') + 0.3)
    expect(read('adapter/curves.svg')).toContain('</svg>')
    expect(read('adapter/curves.html')).toContain('Validation loss')
    const compare = ['train', 'compare', path('adapter'), '--out']
    expect(succeed(...compare, path('curves.html'))).toContain('1 trainings')
    expect(read('curves.html')).toContain('Validation loss')
    expect(kith('train', 'compare', folder, '--out', path('x.svg')).err).toMatch(
      /metrics.jsonl: cannot be read: name a folder that kith train wrote/,
    )
    // The page of two runs, with the curves; the same bytes again.
    const report = [
      ...['report', '--qrels', path('dev.trec'), '--run', path('run.trec')],
      ...['--run', path('adapted.trec'), '--training', path('adapter'), '--out'],
    ]
    succeed(...report, path('report.html'))
    expect(read('report.html')).toMatch(/It helped/)
    expect(read('report.html')).toContain('kith report --qrels')
    const first = read('report.html')
    succeed(...report, path('report.html'))
    expect(read('report.html')).toBe(first)
    // The same command finds it done; other settings are refused.
    expect(kith(...args, '--out', path('adapter')).code).toBe(0)
    expect(kith(...args, '--out', path('adapter'), '--seed', '5')).toMatchObject({
      code: 1,
      err: expect.stringContaining('seed'),
    })
  })

  test('labels made before are taken, those of other queries refused', () => {
    const labels = ['--queries', path('queries.npy'), '--docs', path('docs.npy')]
    succeed(
      ...['labels', '--run', path('run.trec'), ...labels, '--qrels', path('train.trec')],
      ...['--out', path('labels.jsonl')],
    )
    const train = (...more: string[]) =>
      kith(
        ...['train', ...inputs('queries.npy'), '--adapter', 'mlp', '--steps', '3'],
        ...['--labels', path('labels.jsonl'), ...more],
      )
    expect(train('--out', path('by-labels')).code).toBe(0)
    expect(existsSync(path('by-labels/adapter.safetensors'))).toBe(true)
    writeFileSync(path('labels.jsonl'), `${read('labels.jsonl').split('\n')[0]}\n`)
    expect(train('--out', path('other')).err).toMatch(
      /labels.jsonl: query q\d+ is in the run, but not in the labels/,
    )
    const first = JSON.parse(read('labels.jsonl'))
    for (const [contents, message] of [
      ['', /labels.jsonl: query q\d+ is in the run, but not/],
      ['{"query": 1}\n', /labels.jsonl line 1: expected a query that is a string/],
      ['\n{"query":\n', /labels.jsonl line 2: not JSON/],
      [Buffer.from([0x7b, 0xff, 0xfe, 0]), /labels.jsonl line 1: is not UTF-8/],
      [`${JSON.stringify(first)}\n`.repeat(2), /labels.jsonl: query \w+ has labels twice/],
      [
        JSON.stringify({ ...first, docs: ['none', ...first.docs.slice(1)] }),
        /labels.jsonl: query \w+ has document none, which has no embedding/,
      ],
    ] as const) {
      writeFileSync(path('labels.jsonl'), contents)
      expect(train('--out', path('other')).err).toMatch(message)
    }
    expect(train('--out', path('other'), '--target', 'mixed').code).toBe(2)
  })

  test('other documents of the same shape are refused, in memory or read by position', () => {
    const docs = readFileSync(path('docs.npy'))
    const own = { docs: path('own.npy'), ids: path('own.ids.txt') }
    writeFileSync(own.docs, docs)
    writeFileSync(own.ids, read('docs.ids.txt'))
    const args = [
      ...['train', ...inputs('queries.npy'), '--docs', own.docs, '--adapter', 'linear'],
      ...['--steps', '2', '--out', path('same')],
    ]
    expect(kith(...args).code).toBe(0)
    expect(kith(...args, '--memory', '0').code).toBe(0)
    docs.writeFloatLE(docs.readFloatLE(docs.length - 40) + 0.01, docs.length - 40)
    writeFileSync(own.docs, docs)
    for (const memory of ['4G', '0']) {
      const { code, err } = kith(...args, '--memory', memory)
      expect(code).toBe(1)
      expect(err).toMatch(
        /latest\.safetensors: was trained with other vectors of the documents: use/,
      )
    }
  })

  test('compare says which line of which file is wrong', () => {
    const validation = { kind: 'validation', step: 0, loss: 1, measures: { 'nDCG@10': 0.5 } }
    for (const [contents, message] of [
      ['', /metrics.jsonl: holds no validations/],
      ['null\n', /metrics.jsonl line 1: is neither a step nor a validation/],
      ['{"kind":"validation"}\n', /metrics.jsonl line 1: expected a validation with step, loss/],
      ['{"kind":"step"}\n{"kind"\n{}\n', /metrics.jsonl line 2: is not JSON/],
      [Buffer.from([0xff, 0, 0x7b]), /metrics.jsonl line 1: is not JSON/],
      [JSON.stringify({ ...validation, measures: {} }), /metrics.jsonl line 1: has no nDCG@10/],
    ] as const) {
      writeFileSync(path('metrics.jsonl'), contents)
      expect(kith('train', 'compare', folder, '--out', path('x.svg')).err).toMatch(message)
    }
    // A last line that a crash cut off is left out.
    writeFileSync(path('metrics.jsonl'), `${JSON.stringify(validation)}\n{"kind": "st`)
    expect(kith('train', 'compare', folder, '--out', path('x.svg')).code).toBe(0)
  })

  test('says what is wrong', () => {
    const train = (...more: string[]) =>
      kith('train', ...inputs('queries.npy'), '--out', path('x'), '--adapter', 'linear', ...more)
    expect(train('--steps', '2', '--epochs', '2').code).toBe(2)
    expect(train('--top-layers', '2').err).toMatch(/--adapter has no layers/)
    expect(train('--loss', 'hinge').code).toBe(2)
    expect(train('--device', 'abacus', '--steps', '1').err).toMatch(/abacus/)
    expect(kith('train', ...inputs('queries.jsonl'), '--out', path('x')).err).toMatch(
      /384 dimensions, the documents have 8/,
    )
    expect(kith('adapt', '--adapter', folder, '--queries', 'x', '--out', 'y').code).toBe(1)
  })
})

test('a real encoder: two steps, and kith encode loads the result', () => {
  succeed('encode', '--input', path('queries.jsonl'), '--out', path('texts.npy'))
  succeed(
    ...['search', '--queries', path('texts.npy'), '--docs', path('texts.npy')],
    ...['--top', '20', '--out', path('texts.trec')],
  )
  writeFileSync(
    path('texts.qrels'),
    Array.from({ length: 48 }, (_, q) => `q${q} 0 q${(q + 8) % 48} 1\n`).join(''),
  )
  succeed(
    ...['train', '--docs', path('texts.npy'), '--train-queries', path('queries.jsonl')],
    ...['--train-run', path('texts.trec'), '--qrels', path('texts.qrels'), '--steps', '2'],
    ...['--target', 'mixed', '--context', '10', '--k', '4', '--top-layers', '1'],
    ...['--batch-size', '8', '--inverse-temperature', '20', '--out', path('encoder')],
  )
  succeed(
    ...['encode', '--model', path('encoder'), '--input', path('queries.jsonl')],
    ...['--role', 'query', '--out', path('trained.npy')],
  )
  expect(readFileSync(path('trained.npy')).length).toBe(readFileSync(path('texts.npy')).length)
  expect(readFileSync(path('trained.npy')).equals(readFileSync(path('texts.npy')))).toBe(false)
})

test('long queries are whole, unless the user cuts them, which is counted', () => {
  const long = Array.from({ length: 40 }, (_, i) => `word${i}`).join(' ')
  const lines = read('queries.jsonl').trimEnd().split('\n')
  const texts = lines.map((line, i) => {
    const { _id, text } = JSON.parse(line)
    return JSON.stringify({ _id, text: i % 16 === 0 ? `${text} ${long}` : text })
  })
  writeFileSync(path('long.jsonl'), `${texts.join('\n')}\n`)
  succeed('encode', '--input', path('long.jsonl'), '--out', path('long.npy'))
  const run = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => `q${from + i} Q0 q${i} 1 1 t\n`).join('')
  const qrels = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => `q${from + i} 0 q${i + 1} 1\n`).join('')
  for (const [name, from, to] of [
    ['first', 0, 24],
    ['rest', 24, 40],
  ] as const) {
    writeFileSync(path(`${name}.trec`), run(from, to))
    writeFileSync(path(`${name}.qrels`), qrels(from, to))
  }
  const train = (out: string, ...more: string[]) =>
    kith(
      ...['train', '--docs', path('long.npy'), '--top-layers', '1', '--steps', '1', '--json'],
      ...['--train-queries', path('long.jsonl'), '--train-run', path('first.trec')],
      ...['--qrels', path('first.qrels'), '--dev-queries', path('long.jsonl')],
      ...['--dev-run', path('rest.trec'), '--dev-qrels', path('rest.qrels')],
      ...['--batch-size', '4', '--out', path(out), ...more],
    )
  const whole = train('whole')
  expect(whole.err).not.toContain('longer than')
  expect(JSON.parse(whole.out)).toMatchObject({ cut: { training: 0, validation: 0 } })
  const cut = train('cut', '--max-tokens', '32')
  expect(cut.err).toContain(
    '2 of 24 training queries and 1 of 16 validation queries are longer than 32 tokens (--max-tokens)',
  )
  expect(JSON.parse(cut.out)).toMatchObject({ cut: { training: 2, validation: 1 } })
  const validation = (out: string) => read(`${out}/metrics.jsonl`).split('\n')[0]
  expect(validation('cut')).not.toBe(validation('whole'))
  expect(JSON.parse(read('cut.meta.json'))).toMatchObject({
    settings: { model: 'minilm', maxTokens: 32 },
    cut: { training: 2, validation: 1 },
  })
})
