import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeEmbeddings } from '@kith/ir'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { commandNames, loadCommand } from '../src/command-list.ts'
import { kith, kithProcess, succeed } from './support.ts'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)

/** A small collection of our own: 40 documents on 4 topics, 8 queries. */
beforeAll(async () => {
  const topics = [
    'bees flowers honey',
    'ships harbour sails',
    'engines pistons fuel',
    'violins strings music',
  ]
  const vector = (i: number, sway: number) =>
    Float32Array.from(
      { length: 6 },
      (_, j) => (j === i % 4 ? 1 : 0) + Math.sin(i * 7 + j * 3 + sway) * 0.35,
    )
  const documents = Array.from({ length: 40 }, (_, i) => i)
  const queries = Array.from({ length: 8 }, (_, i) => i)
  const rows = (list: number[], sway: number) => list.map((i) => vector(i, sway))
  await writeEmbeddings(
    path('docs.npy'),
    { dimensions: 6, ids: documents.map((i) => `d${i}`) },
    rows(documents, 0),
  )
  await writeEmbeddings(
    path('queries.npy'),
    { dimensions: 6, ids: queries.map((i) => `q${i}`) },
    rows(queries, 1),
  )
  const words = (i: number) => topics[i % 4]!.split(' ')
  writeFileSync(
    path('corpus.jsonl'),
    documents
      .map((i) =>
        JSON.stringify({
          _id: `d${i}`,
          title: words(i)[0],
          text: `${words(i)[i % 3]} number ${i}`,
        }),
      )
      .join('\n'),
  )
  writeFileSync(
    path('queries.jsonl'),
    queries.map((i) => JSON.stringify({ _id: `q${i}`, text: words(i).join(' ') })).join('\n'),
  )
  const judged = queries.flatMap((q) =>
    documents.filter((d) => d % 4 === q % 4).map((d) => `q${q} 0 d${d} 1`),
  )
  writeFileSync(path('qrels.trec'), `${judged.join('\n')}\n`)
  succeed(
    'search',
    '--queries',
    path('queries.npy'),
    '--docs',
    path('docs.npy'),
    '--top',
    '30',
    '--out',
    path('run.trec'),
  )
})

test('fuse merges several runs into one, and measures all of them', () => {
  writeFileSync(path('other.json'), JSON.stringify({ q0: { d39: 5, d1: 4 }, q9: { d2: 1 } }))
  const runs = ['--run', path('run.trec'), '--run', path('other.json'), '--out', path('fused.trec')]
  const judged = ['--qrels', path('qrels.trec'), '--measures', 'nDCG@10']
  const said = succeed('fuse', ...runs, ...judged, '--weights', '1,3', '--top', '3')
  expect(said).toMatch(/fused\.trec: 2 runs merged, 9 queries\n\nrun +nDCG@10 +queries\nrun\.trec /)
  expect(said).toMatch(/\nfused\.trec +0\.\d{4}/)
  const stars = '* p < 0.05, ** p < 0.01 in the randomization test'
  expect(said).toContain(
    `\n${stars}, Holm-corrected for 2 runs; p of the t-test is not corrected\n`,
  )
  const lines = readFileSync(path('fused.trec'), 'utf8').trim().split('\n')
  expect(lines).toHaveLength(8 * 3 + 1)
  expect(lines[0]).toMatch(/^q0 Q0 d(39|1) 1 0\.0\d+ kith$/)
  expect(JSON.parse(succeed('fuse', ...runs, '--json'))).toEqual({
    out: path('fused.trec'),
    queries: 9,
  })
  for (const [wrong, message] of [
    [['--weights', '1'], '--weights must be 2 numbers separated by commas, one per run, got 1'],
    [['--weights', '1,'], '--weights must be 2 numbers'],
    [['--method', 'max'], '--method must be one of rrf, min-max, z, got "max"'],
    [['--method', 'z', '--rrf-k', '5'], '--rrf-k works only with --method rrf'],
    [['--run', path('run.trec')], 'is given twice; name each run once'],
  ] as const) {
    const { code, err } = kith('fuse', ...runs, ...wrong)
    expect(err).toContain(message)
    expect(code).toBe(2)
  }
})

test('search --bm25 writes a lexical run that fuse accepts', () => {
  const texts = ['--corpus', path('corpus.jsonl'), '--query-text', path('queries.jsonl')]
  const out = ['--out', path('bm25.trec')]
  expect(succeed('search', '--bm25', ...texts, '--top', '5', ...out)).toMatch(
    /bm25\.trec: up to 5 of 40 documents for each of 8 queries/,
  )
  const lines = readFileSync(path('bm25.trec'), 'utf8').trim().split('\n')
  expect(lines).toHaveLength(8 * 5)
  // Documents on bees are every fourth, and hold the words of the query.
  expect(lines[0]).toMatch(/^q0 Q0 d\d+ 1 [1-9]/)
  for (const line of lines) {
    const [query, , document] = line.split(' ')
    expect(Number(document!.slice(1)) % 4).toBe(Number(query!.slice(1)) % 4)
  }
  const meta = JSON.parse(readFileSync(path('bm25.trec.meta.json'), 'utf8'))
  expect(meta).toMatchObject({ command: 'search', settings: { bm25: true, top: 5 } })
  const runs = ['--run', path('run.trec'), '--run', path('bm25.trec')]
  expect(succeed('fuse', ...runs, '--out', path('both.trec'))).toMatch(/2 runs merged, 8 queries/)
  for (const [wrong, message] of [
    [['--bm25', ...texts, '--metric', 'dot'], '--metric cannot be combined with --bm25'],
    [['--bm25', ...texts, '--queries', path('queries.npy')], '--queries cannot be combined'],
    [['--bm25', '--corpus', path('corpus.jsonl')], '--query-text FILE is required'],
    [[...embeddings(), '--corpus', path('corpus.jsonl')], '--corpus works only with --bm25'],
    [['--docs', path('docs.npy')], '--queries FILE is required'],
    [[...embeddings(), '--columns', 'vector'], '--columns works only with an output in .parquet'],
  ] as const) {
    const { code, err } = kith('search', ...wrong, ...out)
    expect(err).toContain(message)
    expect(code).toBe(2)
  }
})

test('search --columns writes documents that rerank reads from the run', () => {
  const [run, corpus] = [path('frame.parquet'), ['--corpus', path('corpus.jsonl')]]
  const search = (...more: string[]) => kith('search', ...embeddings(), ...more, '--out', run)
  expect(search(...corpus, '--columns', 'text,vector').code).toBe(0)
  const queries = ['--queries', path('queries.npy'), '--query-text', path('queries.jsonl')]
  expect(succeed('rerank', '--run', run, ...queries, '--out', path('framed.trec'))).toMatch(
    /framed\.trec/,
  )
  for (const [wrong, message] of [
    [['--columns', 'text'], '--columns text needs --corpus FILE'],
    [['--columns', 'title'], '--columns must be text, vector or text,vector, got title'],
    [[...corpus, '--columns', 'vector'], '--corpus works only with --bm25, or with --docs'],
  ] as const) {
    const { code, err } = search(...wrong)
    expect(err).toContain(message)
    expect(code).toBe(2)
  }
})

const embeddings = (): string[] => ['--queries', path('queries.npy'), '--docs', path('docs.npy')]

describe('search, rerank, eval and convert on a small dataset', () => {
  test('search writes a run and its sidecar', () => {
    const lines = readFileSync(path('run.trec'), 'utf8').trim().split('\n')
    expect(lines).toHaveLength(8 * 30)
    expect(lines[0]).toMatch(/^q0 Q0 d\d+ 1 -?\d/)
    const meta = JSON.parse(readFileSync(path('run.trec.meta.json'), 'utf8'))
    expect(meta).toMatchObject({ command: 'search', settings: { top: 30, metric: 'dot' } })
    expect(meta.inputs[0].bytes).toBeGreaterThan(0)
  })

  test('rerank keeps every candidate, sorts by score, and evaluates its output', () => {
    const texts = ['--corpus', path('corpus.jsonl'), '--query-text', path('queries.jsonl')]
    const out = succeed(
      'rerank',
      '--run',
      path('run.trec'),
      ...embeddings(),
      ...texts,
      '--set',
      'contextSize=20',
      '--term-statistics',
      'none',
      '--out',
      path('better.trec'),
      '--qrels',
      path('qrels.trec'),
      '--json',
    )
    const { runs, verdict } = JSON.parse(out)
    expect(runs[1].measures['nDCG@10']).toBeGreaterThan(runs[0].measures['nDCG@10'])
    expect(verdict).toMatch(/^Reranking (may have )?helped/)
    const ids = (file: string) =>
      readFileSync(path(file), 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split(' '))
    const before = ids('run.trec')
    const after = ids('better.trec')
    for (let q = 0; q < 8; q++) {
      const part = (rows: string[][]) => rows.filter(([query]) => query === `q${q}`)
      expect(
        part(after)
          .map(([, , id]) => id)
          .sort(),
      ).toEqual(
        part(before)
          .map(([, , id]) => id)
          .sort(),
      )
      // Beyond the context nothing moves.
      expect(
        part(after)
          .slice(20)
          .map(([, , id]) => id),
      ).toEqual(
        part(before)
          .slice(20)
          .map(([, , id]) => id),
      )
      const scores = part(after).map((row) => Number(row[4]))
      for (let i = 1; i < scores.length; i++) expect(scores[i]).toBeLessThan(scores[i - 1]!)
    }
  })

  test('rerank applies settings', () => {
    const reranked = (...settings: string[]) => {
      succeed(
        'rerank',
        '--run',
        path('run.trec'),
        ...embeddings(),
        '--out',
        path('s.trec'),
        ...settings,
      )
      return readFileSync(path('s.trec'), 'utf8')
    }
    const geometric = reranked('--set', 'lambda=1').replace(/ \S+ kith$/gm, '')
    expect(geometric).toBe(readFileSync(path('run.trec'), 'utf8').replace(/ \S+ kith$/gm, ''))
    expect(reranked('--preset', 'msmarco-tas-b')).not.toBe(reranked())
    expect(reranked('--set', 'k=3', '--set', 'kExp=1', '--set', 'trust=0.5')).not.toBe(reranked())
    expect(reranked('--set', 'weight=exp', '--set', 'weightParameter=3')).not.toBe(reranked())
  })

  test('eval prints tables, JSON, CSV and the format of trec_eval', () => {
    const args = ['eval', '--qrels', path('qrels.trec'), '--run', path('run.trec')]
    expect(succeed(...args)).toMatch(
      /^run +nDCG@10 +MRR@10 +MAP@10 +Recall@10 +queries\nrun.trec +0\.\d{4}/,
    )
    expect(succeed(...args, '--format', 'trec', '--per-query', '--measures', 'P@5')).toMatch(
      /^P@5 +\tq0\t[01]\.\d{4}\n/,
    )
    expect(succeed(...args, '--format', 'csv')).toMatch(
      /^run,query,measure,value\nrun.trec,all,nDCG@10,0\.\d{6}\n/,
    )
    const { runs } = JSON.parse(succeed(...args, '--json', '--per-query'))
    expect(Object.keys(runs[0].perQuery)).toHaveLength(8)
    expect(runs[0].measures['nDCG@10']).toBeGreaterThan(0)
  })

  test('eval exits with 3 if a run is worse than the baseline, and prints the difference', () => {
    // The relevant documents last, and no answer for one query.
    const worse = readFileSync(path('run.trec'), 'utf8')
      .split('\n')
      .filter((line) => line && !line.startsWith('q7 '))
      .map((line) => {
        const [query, q0, document, rank, , tag] = line.split(' ')
        const relevant = Number(query!.slice(1)) % 4 === Number(document!.slice(1)) % 4
        return [
          query,
          q0,
          document,
          rank,
          relevant ? -Number(rank) : 1000 - Number(rank),
          tag,
        ].join(' ')
      })
    writeFileSync(path('worse.trec'), `${worse.join('\n')}\n`)
    const check = (run: string, failOn: string, ...more: string[]) =>
      kith(
        'eval',
        '--qrels',
        path('qrels.trec'),
        '--baseline',
        path('run.trec'),
        '--run',
        path(run),
        '--fail-on',
        failOn,
        '--measures',
        'nDCG@10',
        ...more,
      )
    for (const gate of ['significant', 'drop:0.01']) {
      const { code, err } = check('worse.trec', gate)
      expect(code).toBe(3)
      expect(err).toMatch(
        /^kith: --fail-on \S+ failed: worse\.trec: nDCG@10 fell by 0\.\d{4} \(p [<=] 0\.\d{4}\)/m,
      )
      expect(check('run.trec', gate).code).toBe(0)
    }
    const { runs, failures } = JSON.parse(check('worse.trec', 'drop:0.01', '--json').out)
    expect(failures).toHaveLength(1)
    const twice = check('worse.trec', 'drop:0.01', '--json', '--run', path('run.trec'))
    expect(JSON.parse(twice.out)).toEqual({
      ...JSON.parse(check('worse.trec', 'drop:0.01', '--json').out),
    })
    // The missing query counts as 0.
    expect(runs[1].queries).toBe(8)
    const summary = check('worse.trec', 'significant', '--format', 'markdown').out
    expect(summary).toMatch(
      /^\*\*Fails:\*\* worse\.trec: nDCG@10 fell by .*\n\n\| run \| nDCG@10 \| queries \|\n\| --- /,
    )
    expect(check('run.trec', 'half').code).toBe(2)
    expect(
      kith(
        'eval',
        '--qrels',
        path('qrels.trec'),
        '--run',
        path('run.trec'),
        '--fail-on',
        'significant',
      ).code,
    ).toBe(2)
  })

  test('convert refuses to lose data, unless an option says what to do with it', () => {
    writeFileSync(path('titled.jsonl'), '{"_id": "1", "title": "T", "text": "a\\tb"}\n')
    const convert = (...more: string[]) =>
      kith('convert', '--kind', 'texts', '--in', path('titled.jsonl'), '--out', ...more)
    for (const args of [[path('titled.tsv')], [path('titled.txt'), '--to', 'topics']]) {
      const { code, err } = convert(...args)
      expect(code).toBe(1)
      expect(err).toMatch(/titled\.\w+ text 1: "1": .* cannot express titles; flatten/)
      expect(existsSync(args[0]!)).toBe(false)
      expect(convert(...args, '--flatten').code).toBe(0)
    }
    expect(readFileSync(path('titled.tsv'), 'utf8')).toBe('1\tT a b\n')
    writeFileSync(path('latin1.tsv'), Buffer.from('1\ta\n2\tcaf\u00e9\n', 'latin1'))
    const latin1 = ['--in', path('latin1.tsv'), '--out', path('latin1.jsonl')]
    expect(kith('convert', '--kind', 'texts', ...latin1).err).toMatch(/latin1.tsv:2: is not UTF-8/)
    const large = path('large.jsonl')
    writeFileSync(large, '{"id": "a", "vector": [70000]}\n')
    const half = ['--in', large, '--out', path('large.npy'), '--f16']
    expect(kith('convert', '--kind', 'embeddings', ...half).err).toMatch(
      /the value 70000 is not a finite f16/,
    )
  })

  test.each([
    ['run', 'run.trec', 'wrong.npy', [], /wrong\.npy: a run cannot be written as \.npy/],
    ['qrels', 'qrels.trec', 'wrong.parquet', [], /judgments cannot be written as \.parquet/],
    ['texts', 'queries.jsonl', 'wrong.parquet.gz', [], /texts cannot be written as \.parquet\.gz/],
    ['embeddings', 'docs.npy', 'wrong.tsv', [], /wrong\.tsv: the embedding format must be clear/],
    ['embeddings', 'docs.npy', 'wrong.jsonl', ['--to', 'npy'], /to has no effect with kind embed/],
    ['run', 'run.trec', 'wrong.json', ['--f16'], /f16 has no effect with kind run; leave it out/],
    ['qrels', 'qrels.trec', 'wrong.tsv', ['--flatten'], /flatten has no effect with kind qrels/],
  ] as const)(
    'convert --kind %s refuses what does not fit: %s to %s %s',
    (kind, from, to, more, expected) => {
      const files = ['--in', path(from), '--out', path(to)]
      const { code, err } = kith('convert', '--kind', kind, ...files, ...more)
      expect(code).toBe(more.length === 0 ? 1 : 2)
      expect(err).toMatch(expected)
      expect(existsSync(path(to))).toBe(false)
    },
  )

  test('convert writes every kind of file in another format and back', () => {
    const convert = (kind: string, from: string, to: string, ...more: string[]) =>
      succeed('convert', '--kind', kind, '--in', path(from), '--out', path(to), ...more)
    convert('run', 'run.trec', 'run.json.gz')
    convert('run', 'run.json.gz', 'back.trec')
    const rankings = (file: string) =>
      readFileSync(path(file), 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split(' ').map((field, c) => (c === 4 ? Number(field) : field)))
    expect(rankings('back.trec')).toEqual(rankings('run.trec'))
    convert('qrels', 'qrels.trec', 'qrels.tsv')
    convert('qrels', 'qrels.tsv', 'back.qrels')
    expect(readFileSync(path('back.qrels'), 'utf8')).toBe(readFileSync(path('qrels.trec'), 'utf8'))
    convert('texts', 'queries.jsonl', 'topics.sgml', '--to', 'topics')
    convert('texts', 'topics.sgml', 'back.jsonl')
    expect(readFileSync(path('back.jsonl'), 'utf8')).toContain('bees flowers honey')
    convert('texts', 'queries.jsonl', 'texts.parquet')
    expect(readFileSync(path('texts.parquet')).toString('latin1', 0, 4)).toBe('PAR1')
    convert('texts', 'texts.parquet', 'back.tsv')
    convert('texts', 'queries.jsonl', 'texts.tsv')
    expect(readFileSync(path('back.tsv'), 'utf8')).toBe(readFileSync(path('texts.tsv'), 'utf8'))
    for (const name of ['x.safetensors', 'x.fvecs', 'x.parquet', 'x.jsonl']) {
      convert('embeddings', 'docs.npy', name)
      convert('embeddings', name, 'back.npy')
      expect(readFileSync(path('back.npy')).equals(readFileSync(path('docs.npy')))).toBe(true)
    }
  })
})

describe('commands with wrong inputs', () => {
  const cases: [string, () => string[], number, RegExp][] = [
    [
      'no command',
      () => ['frobnicate'],
      2,
      /unknown command "frobnicate"; commands: try, encode, search, rerank, eval/,
    ],
    [
      'a missing option',
      () => ['eval', '--run', 'x'],
      2,
      /--qrels FILE is required unless you name a DATASET\nTry: kith eval --help/,
    ],
    [
      'a misspelled command',
      () => ['rerrank', '--run', 'x'],
      2,
      /^kith: unknown command "rerrank"; did you mean kith rerank\?\nTry: kith --help\n$/,
    ],
    [
      'a misspelled command of two words',
      () => ['lables', 'merge', 'x'],
      2,
      /unknown command "lables merge"; did you mean kith labels merge\?/,
    ],
    [
      'a misspelled second word',
      () => ['labels', 'marge', 'x'],
      2,
      /unknown command "labels marge"; did you mean kith labels merge\?/,
    ],
    ['half a command', () => ['dataset'], 2, /did you mean kith dataset wordnet\?/],
    [
      'a misspelled option',
      () => ['search', '--tpo', '3'],
      2,
      /unknown option '--tpo'; did you mean --top\?\nTry: kith search --help/,
    ],
    ['an unknown option', () => ['search', '--color=red'], 2, /unknown option '--color'\n/],
    [
      'a shell that has no completion',
      () => ['completion', 'csh'],
      2,
      /expected one shell \(bash, zsh/,
    ],
    [
      'a number that is none',
      () => ['search', ...embeddings(), '--out', path('z'), '--top', 'many'],
      2,
      /--top must be a number, got "many"/,
    ],
    [
      'a setting out of range',
      () => [
        'rerank',
        '--run',
        path('run.trec'),
        ...embeddings(),
        '--out',
        path('z'),
        '--set',
        'lambda=2',
      ],
      2,
      /setting lambda must be a number from 0 to 1, got 2/,
    ],
    [
      'a size that is none',
      () => ['studio', '--export', path('z'), '--export-size', 'lots'],
      2,
      /--export-size must be a size such as 4G/,
    ],
    [
      'texts of one side only',
      () => [
        'rerank',
        '--run',
        path('run.trec'),
        ...embeddings(),
        '--out',
        path('z'),
        '--corpus',
        'c',
      ],
      2,
      /--corpus and --query-text must be given together/,
    ],
    [
      'no such file',
      () => [
        'search',
        '--queries',
        path('none.npy'),
        '--docs',
        path('docs.npy'),
        '--out',
        path('z'),
      ],
      1,
      /none\.npy: there is no such file/,
    ],
    [
      'a five-column run',
      () => ['eval', '--qrels', path('qrels.trec'), '--run', path('five.trec')],
      1,
      /five\.trec:2: expected 6 fields, got 5/,
    ],
    [
      'a truncated matrix',
      () => [
        'search',
        '--queries',
        path('cut.npy'),
        '--docs',
        path('docs.npy'),
        '--out',
        path('z'),
      ],
      1,
      /cut\.npy/,
    ],
    [
      'unknown candidates',
      () => ['rerank', '--run', path('strange.trec'), ...embeddings(), '--out', path('z')],
      1,
      /strange\.trec:\d+: 1 candidates of the run have no embedding in .*docs\.npy: nobody; pass --missing skip/,
    ],
    [
      'unknown queries',
      () => ['rerank', '--run', path('other.trec'), ...embeddings(), '--out', path('z')],
      1,
      /other\.trec:1: 1 queries of the run have no embedding in .*queries\.npy: q99/,
    ],
  ]
  beforeAll(() => {
    writeFileSync(path('five.trec'), 'q0 Q0 d1 1 3 x\nq0 Q0 d2 2 2\n')
    writeFileSync(path('cut.npy'), readFileSync(path('docs.npy')).subarray(0, 200))
    writeFileSync(
      path('strange.trec'),
      'q0 Q0 d1 1 3 x\nq0 Q0 nobody 2 2 x\nq0 Q0 d2 3 1 x\nq1 Q0 nobody 1 1 x\n',
    )
    writeFileSync(path('other.trec'), 'q99 Q0 d1 1 3 x\nq0 Q0 d1 1 3 x\n')
  })

  test.each(cases)('%s', (_, args, code, message) => {
    const result = kith(...args())
    expect(result.err).toMatch(message)
    expect(result.code).toBe(code)
    expect(existsSync(path('z'))).toBe(false)
  })

  test('--missing skip keeps candidates that cannot be reranked behind the others', () => {
    succeed(
      'rerank',
      '--run',
      path('strange.trec'),
      ...embeddings(),
      '--out',
      path('skipped.trec'),
      '--missing',
      'skip',
    )
    const lines = readFileSync(path('skipped.trec'), 'utf8').trim().split('\n')
    expect(lines).toHaveLength(4)
    expect(lines[2]).toMatch(/^q0 Q0 nobody 3 /)
    expect(lines[3]).toMatch(/^q1 Q0 nobody 1 /)
  })

  test('escapes control characters of ids in messages', () => {
    writeFileSync(path('control.trec'), 'q0 Q0 a\0b\u001b[31m 1 5 t\n')
    const files = ['--queries', path('queries.npy'), '--docs', path('docs.npy')]
    const out = ['--out', path('failed.trec')]
    const { code, err } = kith('rerank', '--run', path('control.trec'), ...files, ...out)
    expect(code).toBe(1)
    expect(err).toContain('a\\u0000b\\u001b[31m')
    expect(err.trimEnd()).not.toMatch(/\p{Cc}/u)
  })

  test('leaves no temporary file of a failed command', () => {
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })
})

// The other commands run as processes in outputs.test.ts, piped.test.ts and test/faults.
test.each([
  'labels merge',
  'train compare',
  'jobs',
  'jobs retry',
  'jobs remove',
  'term-statistics',
])('kith %s exits with the same code and output in a process as in a thread', (name) => {
  const words = name.split(' ')
  expect(kithProcess(...words, '--help')).toEqual({
    code: 0,
    out: succeed(...words, '--help'),
    err: '',
  })
  const refused = kith(...words)
  expect(refused).toMatchObject({
    code: 2,
    err: expect.stringContaining(`Try: kith ${name} --help`),
  })
  expect(kithProcess(...words)).toEqual(refused)
})

test('--help has an example for every command, with options that exist', () => {
  expect(succeed('--help')).toContain('kith try DATASET')
  for (const name of ['search', 'rerank', 'eval', 'convert']) {
    const help = succeed(name, '--help')
    const example = /Example:\n(?: {2}.*\n)? {2}kith \w+ (--.*)\n$/.exec(help)![1]!
    for (const [option] of example.matchAll(/--[\w-]+/g)) expect(help).toContain(`  ${option}`)
  }
  expect(succeed('--version')).toMatch(/^\d+\.\d+\.\d+\n$/)
  expect(kith().code).toBe(2)
})

test('finds every command by its name', async () => {
  expect(commandNames.length).toBeGreaterThan(20)
  for (const name of commandNames) expect((await loadCommand(name))?.name).toBe(name)
  expect(await loadCommand('toString')).toBeUndefined()
})
