import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readLabelsParquet } from '@kith/ir'
import { storeName } from '@kith/pipelines/internal'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { emptyDatabase, postgres } from '../../../test/postgres.ts'
import { readSource, readSubmit } from '../src/options/store-options.ts'
import { sizes, writeCollection } from './store-data.ts'
import { kith, succeed } from './support.ts'

// Real servers and processes, on whatever machine: slow is not wrong.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)
const inputs = ['--run', path('run.trec'), '--queries', path('queries.npy')]
const texts = ['--query-text', path('queries.jsonl')]
const qrels = ['--qrels', path('qrels.trec')]
const strange = ['--run', path('strange.trec'), '--queries', path('queries.npy')]
const skip = ['--missing', 'skip']
const queries = ['--queries', path('queries.npy'), '--top', '5']

/** Files with the same bytes. */
function expectEqual(name: string, other: string): void {
  expect(readFileSync(path(name)).equals(readFileSync(path(other)))).toBe(true)
}

// What the commands make of files is what they must make of every store.
beforeAll(async () => {
  await writeCollection(folder)
  const docs = ['--docs', path('all.npy')]
  const corpus = ['--corpus', path('corpus.jsonl'), ...texts]
  succeed('search', ...queries, ...docs, '--out', path('near.trec'))
  succeed('rerank', ...inputs, ...docs, ...corpus, '--out', path('files.trec'))
  succeed('labels', ...inputs, ...docs, ...qrels, '--out', path('files.jsonl.gz'))
  // Without one document of the run, and with a query that has no embedding.
  const run = readFileSync(path('run.trec'), 'utf8')
  writeFileSync(path('strange.trec'), `${run}nobody Q0 d3 1 0.5 kith\n`)
  const fewer = ['--docs', path('docs.npy'), ...skip]
  succeed('rerank', ...strange, ...fewer, '--out', path('skip-files.trec'))
  succeed('labels', ...strange, ...fewer, ...qrels, '--out', path('skip-files.jsonl'))
})

const stores = [
  { name: 'LanceDB', address: () => path('lance'), there: true },
  { name: 'PostgreSQL', address: () => database.url, there: postgres },
]
const database = emptyDatabase()

describe.each(stores.filter(({ there }) => there))('$name', ({ name, address }) => {
  const run = (file: string): string => readFileSync(path(file), 'utf8')

  test('gives the same files as files', () => {
    const store = ['--store', address()]
    const loaded = JSON.parse(
      succeed(
        ...['load', ...store, '--docs', path('all.npy')],
        ...['--corpus', path('corpus.jsonl'), '--index', '--json'],
      ),
    )
    expect(loaded).toMatchObject({ loaded: 301, documents: 301 })
    succeed('search', ...queries, ...store, '--exact', '--out', path(`${name}-near.trec`))
    // Scores differ in their last digits, which no order of these documents depends on.
    const order = (file: string): string[] =>
      run(file)
        .split('\n')
        .map((line) => line.slice(0, 14))
    expect(order(`${name}-near.trec`)).toEqual(order('near.trec'))
    const filter = "id IN ('d1', 'd2', 'd3')"
    const few = ['--filter', filter, '--out', path(`${name}-few.trec`)]
    succeed('search', ...queries, ...store, ...few)
    expect(run(`${name}-few.trec`).split('\n')).toHaveLength(sizes.queries * 3 + 1)
    succeed('rerank', ...inputs, ...store, ...texts, '--out', path(`${name}.trec`))
    expectEqual(`${name}.trec`, 'files.trec')
    succeed('labels', ...inputs, ...store, ...qrels, '--out', path(`${name}.jsonl.gz`))
    expectEqual(`${name}.jsonl.gz`, 'files.jsonl.gz')
  })

  test('skips what is missing as files do', () => {
    const store = ['--store', `${address()}#without_poison`]
    succeed('load', ...store, '--docs', path('docs.npy'))
    const refused = kith('rerank', ...strange, ...store, '--out', path('refused.trec'))
    expect(refused.code).toBe(1)
    expect(refused.err).toMatch(/poison|nobody/)
    succeed('rerank', ...strange, ...store, ...skip, '--out', path('skip.trec'))
    expectEqual('skip.trec', 'skip-files.trec')
    succeed('labels', ...strange, ...store, ...qrels, ...skip, '--out', path('skip.jsonl'))
    expectEqual('skip.jsonl', 'skip-files.jsonl')
  })
})

describe.runIf(postgres)('studies', () => {
  test('give the same files as one machine, sidecars included', async () => {
    const store = ['--store', `${database.url}#studies`]
    const corpus = ['--corpus', path('corpus.jsonl')]
    succeed('load', ...store, '--docs', path('all.npy'), ...corpus, '--type', 'f32')
    const label = ['labels', ...inputs, ...store, ...qrels]
    const work: [name: string, ending: string, args: string[]][] = [
      ['ranks', 'trec', ['rerank', ...inputs, ...store, ...texts]],
      ['packed', 'jsonl.gz', [...label, ...texts, '--words', '--format', 'listwise']],
      ['columns', 'parquet', [...label, '--format', 'parquet', '--target', 'joint']],
    ]
    for (const [name, , args] of work) succeed(...args, '--submit', name, '--job-size', '150')
    const worked = succeed('work', ...store, '--until-empty', '--json', '--quiet')
    expect(JSON.parse(worked)).toEqual({ queries: 3 * sizes.queries, failures: 0 })
    const listed = JSON.parse(succeed('jobs', ...store, '--json'))
    expect(listed).toHaveLength(3)
    expect(listed[0]).toMatchObject({ name: 'ranks', kind: 'rerank', done: 600, failures: [] })
    expect(listed[0].rate).toBeGreaterThan(0)
    expect(succeed('jobs', ...store)).toMatch(/packed +labels +600 of 600 +100 % +\S+\/s +done/)
    for (const [name, ending, args] of work) {
      const [one, many] = [`one-${name}.${ending}`, `many-${name}.${ending}`]
      succeed(...args, '--out', path(one))
      succeed('jobs', 'export', ...store, '--study', name, '--out', path(many))
      expectEqual(many, one)
      expectEqual(`${many}.meta.json`, `${one}.meta.json`)
    }
    expectEqual('many-ranks.trec', 'files.trec')
    let labelled = 0
    for await (const { docs } of readLabelsParquet(path('many-columns.parquet'))) {
      labelled += docs.length > 0 ? 1 : 0
    }
    expect(labelled).toBe(540)
    succeed('jobs', 'remove', ...store, '--study', 'ranks')
    expect(JSON.parse(succeed('jobs', ...store, '--json'))).toHaveLength(2)
  })
})

describe('options', () => {
  test.each([
    [{}, 'give --docs FILE or --store ADDRESS'],
    [{ docs: 'x.npy', store: 'y' }, 'give --docs FILE or --store ADDRESS'],
  ])('%j is no source', (values, message) => {
    expect(() => readSource(values)).toThrow(message)
  })

  test('a store that is a file is one', () => {
    expect(readSource({ store: 'docs.npy' })).toEqual({ docs: 'docs.npy' })
    expect(readSource({ store: 'postgres://u:p@h/db?x=y#name' })).toEqual({
      store: { address: 'postgres://u:p@h/db?x=y', collection: 'name' },
    })
  })

  test.each([
    [{ store: 'postgres://x/y' }, '--out FILE is missing'],
    [{ docs: 'x.npy', submit: 'x' }, '--submit needs --store postgres'],
    [{ store: 'postgres://x/y', submit: 'x', out: 'x' }, '--submit writes no file'],
    [{ store: 'postgres://x/y', submit: 'a b' }, '--submit takes a name'],
  ])('%j cannot be submitted', (values, message) => {
    expect(() => readSubmit(values)).toThrow(message)
  })

  test('names of stores have no passwords', () => {
    const address = 'postgres://user:secret@host:5432/db?sslmode=require'
    expect(storeName({ address, collection: 'a' })).toBe('postgres://host:5432/db#a')
  })
})

test('an empty store is refused', () => {
  const out = ['--out', path('never.trec')]
  const empty = kith('rerank', ...inputs, '--store', path('empty'), ...out)
  expect(empty.err).toContain('it is empty: kith load fills it')
  expect(empty.code).toBe(1)
})
