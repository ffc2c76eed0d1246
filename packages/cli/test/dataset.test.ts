import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { sharedCollection, temporaryFolder } from '../../../test/files.ts'
import { kith, succeed } from './support.ts'

const folder = temporaryFolder()
const cisi = sharedCollection('cisi')
const data = join(folder, 'cisi')
const kept = (name: string): string => join(data, '.kith/own', name)

/** Copies CISI with its MiniLM embeddings beside the texts. */
function copyCisi(at: string): void {
  mkdirSync(join(at, 'qrels'), { recursive: true })
  for (const file of ['corpus.jsonl', 'queries.jsonl', 'qrels/test.tsv']) {
    cpSync(join(cisi!, file), join(at, file))
  }
  for (const file of ['docs.npy', 'docs.ids.txt', 'queries.npy', 'queries.ids.txt']) {
    cpSync(join(cisi!, 'embeddings/all-MiniLM-L6-v2', file), join(at, file))
  }
}

describe.skipIf(!cisi)('commands on a dataset folder', () => {
  beforeAll(() => copyCisi(data))

  test('search and rerank write the same bytes as with every file named', () => {
    succeed('search', data)
    succeed('rerank', data)
    const at = (name: string): string => join(data, name)
    const files = ['--queries', at('queries.npy'), '--docs', at('docs.npy')]
    const texts = ['--corpus', at('corpus.jsonl'), '--query-text', at('queries.jsonl')]
    const [run, better] = [join(folder, 'run.trec'), join(folder, 'better.trec')]
    succeed('search', ...files, '--out', run)
    succeed('rerank', '--run', run, ...files, ...texts, '--out', better)
    expect(readFileSync(kept('run.trec'), 'utf8')).toBe(readFileSync(run, 'utf8'))
    expect(readFileSync(kept('reranked.trec'), 'utf8')).toBe(readFileSync(better, 'utf8'))
  })

  test('eval measures the run and the reranked run, and makes a missing run', () => {
    rmSync(kept('run.trec'))
    const { code, out, err } = kith('eval', data, '--json')
    expect(code).toBe(0)
    // The new run is newer than what was reranked from the old one.
    expect(err).toMatch(
      /reranked\.trec is out of date \(.*run\.trec has changed\); making it again/,
    )
    const { runs } = JSON.parse(out)
    expect(runs.map(({ name }: { name: string }) => name)).toEqual(['run.trec', 'reranked.trec'])
    expect(runs[0].measures['nDCG@10']).toBeCloseTo(0.4192, 4)
    expect(runs[1].measures['nDCG@10']).toBeGreaterThan(0.44)
  })

  test('search --bm25 keeps a run that belongs to no model, even if there are several models', () => {
    const at = join(folder, 'lexical')
    copyCisi(at)
    for (const model of ['a', 'b']) {
      mkdirSync(join(at, '.kith', model), { recursive: true })
      cpSync(join(at, 'docs.npy'), join(at, '.kith', model, 'docs.npy'))
    }
    succeed('search', at, '--bm25')
    const run = join(at, '.kith/bm25.trec')
    const { runs } = JSON.parse(
      succeed('eval', '--qrels', join(at, 'qrels/test.tsv'), '--run', run, '--json'),
    )
    expect(runs[0].measures['nDCG@10']).toBeGreaterThan(0.35)
    const { code, err } = kith('search', at, '--bm25', '--model', 'a')
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('--model cannot be combined with --bm25'),
    ])
    expect(kith('search', at).err).toContain('has embeddings of several models (a, b)')
  })

  test('labels, audit, term-statistics, report and train keep their outputs in the dataset', () => {
    for (const command of ['labels', 'audit', 'term-statistics', 'report']) {
      succeed(command, data, '--quiet')
    }
    succeed('train', data, '--adapter', 'linear', '--quiet')
    const made = ['labels.jsonl', 'audit.tsv', 'report.html', 'trained/adapter.safetensors']
    expect(made.filter((name) => !existsSync(kept(name)))).toEqual([])
    expect(existsSync(join(data, '.kith/terms.bin'))).toBe(true)
    const { inputs } = JSON.parse(readFileSync(kept('labels.jsonl.meta.json'), 'utf8'))
    expect(inputs.map(({ file }: { file: string }) => file)).toContain(kept('run.trec'))
  })

  test('rerank uses the kept term statistics of its tokenizer, and counts others', () => {
    const out = join(folder, 'terms.trec')
    const terms = join(data, '.kith/terms.bin')
    const reranked = (...more: string[]): { names: string[]; bytes: string } => {
      succeed('rerank', data, '--out', out, '--quiet', ...more)
      const { inputs } = JSON.parse(readFileSync(`${out}.meta.json`, 'utf8'))
      const names = inputs.map(({ file }: { file: string }) => file)
      return { names, bytes: readFileSync(out, 'utf8') }
    }
    rmSync(terms, { force: true })
    const counted = reranked()
    expect(counted.names).not.toContain(terms)
    succeed('term-statistics', data)
    const kept = reranked()
    expect(kept.names).toContain(terms)
    expect(kept.bytes).toBe(counted.bytes)
    const plural = reranked('--set', 'tokenizer=plural')
    expect(plural.names).not.toContain(terms)
    expect(plural.bytes).not.toBe(kept.bytes)
    expect(reranked('--term-statistics', 'none').names).not.toContain(terms)
    // Statistics that the user names must fit.
    const wrong = ['rerank', data, '--out', out, '--term-statistics', terms]
    const { code, err } = kith(...wrong, '--set', 'tokenizer=plural')
    expect(err).toContain("built with tokenizer 'english'")
    expect(code).toBe(1)
  })

  test('prefers the options to the files of the dataset', () => {
    const out = join(folder, 'elsewhere.trec')
    succeed('rerank', data, '--out', out)
    expect(readFileSync(out, 'utf8')).toBe(readFileSync(kept('reranked.trec'), 'utf8'))
    const few = join(folder, 'few.tsv')
    const [head, first] = readFileSync(join(data, 'qrels/test.tsv'), 'utf8').split('\n')
    writeFileSync(few, `${head}\n${first}\n`)
    const { runs } = JSON.parse(succeed('eval', data, '--qrels', few, '--json'))
    expect(runs[0].queries).toBe(1)
  })

  test('works on a read-only dataset if the outputs are named', () => {
    const at = join(folder, 'read-only')
    copyCisi(at)
    // A file in the place of the folder: nothing can be kept, for the superuser too.
    writeFileSync(join(at, '.kith'), '')
    const refused = kith('search', at)
    expect(refused.code).toBe(1)
    expect(refused.err).toMatch(/read-only\/\.kith: .*cannot be written there; name an output file/)
    const run = join(folder, 'read-only.trec')
    succeed('search', at, '--out', run)
    succeed('rerank', at, '--run', run, '--out', join(folder, 'read-only-better.trec'))
  })

  test('prints the command line that works after a mistake', () => {
    for (const [args, message] of [
      [['eval', data, '--split', 'dev'], 'has no split "dev"; splits: test'],
      [['eval', data, data], 'expected one DATASET, got 2'],
      [
        ['rerank', '--split', 'test', '--run', 'x', '--queries', 'x'],
        '--split works only with a DATASET',
      ],
      [['search', data, '--store', 'lance'], 'DATASET and --store cannot be combined'],
      [
        ['search', join(data, 'none')],
        'does not exist; expected a dataset folder with corpus.jsonl',
      ],
      [['eval', folder], 'has no relevance judgments (qrels.tsv, qrels/SPLIT.tsv'],
      [['audit', data, '--accept', 'x.json'], '--out FILE is required'],
      [['eval'], '--qrels FILE is required unless you name a DATASET'],
    ] as const) {
      const { code, err } = kith(...args)
      expect(err).toContain(message.replace('SPLIT', 'test'))
      expect(code).toBeGreaterThan(0)
    }
  })

  test('try compares the systems, prints a verdict, and reuses finished steps', () => {
    const first = succeed('try', data, '--trials', '3')
    expect(first).toMatch(
      /^76 judged queries +nDCG@10 +MRR@10 +Recall@100 +ms\/query\nvector search +0\.4192 /,
    )
    const names = [
      'BM25',
      'RRF of both',
      'dense + BM25 score fusion',
      'Kith',
      'Kith, tuned (held out)',
    ]
    for (const name of names) expect(first).toContain(`\n${name} `)
    expect(first).toMatch(
      /\nKith improves nDCG@10 by 0\.039 \(p = 0\.0\d+\); use the default settings/,
    )
    expect(first.match(/^ {2}0\.\d{4} → 0\.\d{4} {2}\d+ /gm)).toHaveLength(10)
    // kith report writes another page.
    succeed('report', data, '--quiet')
    expect(readFileSync(kept('try/report.html'), 'utf8')).toContain('Kith improves nDCG@10')
    const times = readFileSync(kept('try/times.json'), 'utf8')
    expect(succeed('try', data, '--trials', '3')).toBe(first)
    expect(readFileSync(kept('try/times.json'), 'utf8')).toBe(times)
    // Another number of trials is another tuning.
    succeed('try', data, '--trials', '4')
    const { settings } = JSON.parse(readFileSync(kept('try/tuned.trec.meta.json'), 'utf8'))
    expect(settings).toMatchObject({ trials: 4, folds: 5 })
    // Kith of the table is kith rerank with its defaults.
    const { runs } = JSON.parse(succeed('eval', data, '--json'))
    expect(first).toMatch(new RegExp(`\\nKith +${runs[1].measures['nDCG@10'].toFixed(4)}`))
  })
})

describe.skipIf(!cisi)('a dataset without embeddings', () => {
  const own = join(folder, 'texts')
  beforeAll(() => {
    mkdirSync(own)
    const part = (file: string, count: number): string =>
      readFileSync(join(cisi!, file), 'utf8').split('\n').slice(0, count).join('\n')
    writeFileSync(join(own, 'corpus.jsonl'), `${part('corpus.jsonl', 40)}\n`)
    writeFileSync(join(own, 'queries.jsonl'), `${part('queries.jsonl', 4)}\n`)
  })

  test('try encodes the texts, and shows what changes if there are no judgments', () => {
    const { out, err } = kith('try', own, '--max-tokens', '32')
    expect(err).toContain(`encoding ${join(own, 'corpus.jsonl')} with minilm`)
    expect(out).toMatch(/Kith changes the first document of \d of 4 queries/)
    expect(out).toMatch(/\n {2}vector search +Kith \(\+ new\)\n/)
    expect(existsSync(join(own, '.kith/minilm/docs.npy'))).toBe(true)
  })

  test('later commands use these embeddings, and encode reports that they exist', () => {
    const { out, err } = kith('encode', own)
    expect(out).toContain('.kith/minilm/docs.npy: up to date')
    expect(err).toBe('')
    const { code, err: said } = kith('rerank', own)
    expect([code, said]).toEqual([0, ''])
    const meta = JSON.parse(readFileSync(join(own, '.kith/minilm/docs.npy.meta.json'), 'utf8'))
    expect(meta.settings).toMatchObject({ model: 'minilm', maxTokens: 32 })
  })

  test('try encodes again with other settings of the encoder', () => {
    const again = ['encode', own, '--role', 'query', '--max-tokens', '16']
    const { out, err } = kith(...again)
    expect(out).toBe(`${join(own, '.kith/minilm/queries.npy')}: written\n`)
    expect(kith(...again).out).toBe(`${join(own, '.kith/minilm/queries.npy')}: up to date\n`)
    expect(err).toMatch(
      /queries\.npy is out of date \(--max-tokens is 32, not 16\); making it again/,
    )
  })
})
