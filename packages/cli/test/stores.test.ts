import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { emptyDatabase, postgres } from '../../../test/postgres.ts'
import { writeCollection } from '../../pipelines/test/store-data.ts'
import { readTexts } from '../src/options/shared-options.ts'
import { readSource, readSubmission } from '../src/options/store-options.ts'
import { kith, succeed } from './support.ts'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)
const inputs = ['--run', path('run.trec'), '--queries', path('queries.npy')]
const qrels = ['--qrels', path('qrels.trec')]
beforeAll(() => writeCollection(folder, 600))

test('load, search, rerank and labels work with a LanceDB folder', () => {
  const store = ['--store', path('lance')]
  const loaded = JSON.parse(succeed('load', ...store, '--docs', path('docs.npy'), '--json'))
  expect(loaded).toMatchObject({ loaded: 300, documents: 300, seconds: expect.any(Number) })
  const found = ['--queries', path('queries.npy'), '--top', '5', '--out', path('near.trec')]
  expect(succeed('search', ...found, ...store)).toMatch(/up to 5 of 300 documents for each of 600/)
  const refused = kith('rerank', ...inputs, ...store, '--out', path('refused.trec'))
  expect(refused.code).toBe(1)
  expect(refused.err).toContain('candidates of the run have no embedding: poison')
  const skipped = kith(
    ...['labels', ...inputs, ...store, ...qrels, '--missing', 'skip'],
    ...['--out', path('skip.jsonl')],
  )
  expect(skipped.code).toBe(0)
  expect(skipped.err).toContain('1 candidates of the run have no embedding: poison\n')
  expect(skipped.out).toMatch(/queries with labels +540\n/)
  const empty = kith('rerank', ...inputs, '--store', path('empty'), '--out', path('never.trec'))
  expect(empty).toMatchObject({ code: 1, err: expect.stringContaining('there is no such folder') })
  const queries = ['--queries', path('queries.npy'), ...store, '--out', path('never.trec')]
  expect(kith('rerank', '--run', path('no.trec'), ...queries)).toMatchObject({
    ...{ code: 1, err: `kith: ${path('no.trec')}: there is no such file\n` },
  })
})

describe.runIf(postgres)('batches in PostgreSQL', () => {
  const database = emptyDatabase()

  test('can be submitted, worked on, listed, exported and removed', () => {
    const store = ['--store', `${database.url}#batches`]
    // A database without anything of Kith has no batches, and gets no tables by looking.
    for (let i = 0; i < 2; i++) expect(succeed('jobs', ...store, '--json')).toBe('[]\n')
    expect(kith('jobs', 'retry', ...store, '--batch', 'x').err).toContain('has no batches')
    succeed('load', ...store, '--docs', path('docs.npy'))
    const label = ['labels', ...inputs, ...store, ...qrels, '--missing', 'skip']
    const submitted = succeed(...label, '--submit', 'mine')
    expect(submitted).toBe('mine: submitted 600 queries in 3 jobs; run them with kith work\n')
    expect(succeed(...label, '--submit', 'mine')).toContain('already submitted')
    const worked = kith('work', ...store, '--until-empty', '--json')
    expect(JSON.parse(worked.out)).toEqual({ queries: 600, failures: 0, left: 0 })
    expect(worked.err).toContain('mine: 1 candidates of the run have no embedding: poison\n')
    expect(worked.err).toContain('mine: 256 queries done\n')
    const [listed] = JSON.parse(succeed('jobs', ...store, '--json'))
    expect(listed).toMatchObject({ name: 'mine', kind: 'labels', done: 600, failures: [] })
    expect(succeed('jobs', ...store)).toMatch(/mine +labels +600 of 600 +100 % +\S+\/s +done/)
    const mine = ['--batch', 'mine']
    succeed('jobs', 'export', ...store, ...mine, '--out', path('many.jsonl'))
    succeed(...label, '--out', path('one.jsonl'))
    expect(readFileSync(path('many.jsonl')).equals(readFileSync(path('one.jsonl')))).toBe(true)
    expect(succeed('jobs', 'retry', ...store, ...mine)).toBe('0 jobs will be retried\n')
    succeed('jobs', 'remove', ...store, ...mine)
    expect(succeed('jobs', ...store)).toBe('no batches\n')
    expect(kith('jobs', 'export', ...store, ...mine, '--out', path('x')).code).toBe(1)
    const shared = kith(...label, '--submit', 'mine', '--shard', '1/2')
    expect(shared).toMatchObject({ code: 2, err: expect.stringContaining('divides the work') })
    expect(kith('work', '--store', path('lance')).code).toBe(2)
  })
})

describe('store options', () => {
  test.each([
    [{}, 'exactly one of --docs FILE and --store ADDRESS is required'],
    [{ docs: 'x.npy', store: 'y' }, 'exactly one of --docs FILE and --store ADDRESS is required'],
  ])('refuse %j as a source', (values, message) => {
    expect(() => readSource(values)).toThrow(message)
  })

  test('takes documents from a run in Parquet if nothing else has them', () => {
    const run = 'frame.parquet'
    expect(readSource({ run } as object)).toEqual({ docs: run })
    expect(readSource({ run, docs: 'x.npy' } as object)).toEqual({ docs: 'x.npy' })
    expect(readSource({ run, store: 'postgres://x/y' } as object)).toEqual({
      store: 'postgres://x/y',
    })
    const texts = { run, 'query-text': 'q.jsonl' } as object
    expect(readTexts(texts, { docs: run })).toEqual({ corpus: run, queryText: 'q.jsonl' })
    expect(() => readTexts({ 'query-text': 'q.jsonl' })).toThrow('must be given together')
  })

  test('accepts a file as a store', () => {
    expect(readSource({ store: 'docs.npy' })).toEqual({ docs: 'docs.npy' })
    const store = 'postgres://u:p@h/db?x=y#name'
    expect(readSource({ store })).toEqual({ store })
  })

  test.each([
    [{ store: 'postgres://x/y' }, '--out FILE is required'],
    [{ docs: 'x.npy', submit: 'x' }, '--submit works only with PostgreSQL'],
    [{ store: 'postgres://x/y', submit: 'x', out: 'x' }, '--submit writes no file'],
    [{ store: 'postgres://x/y', submit: 'a b' }, '--submit must be a name'],
  ])('refuse to submit %j', (values, message) => {
    expect(() => readSubmission(values)).toThrow(message)
  })
})
