import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeEmbeddings } from '@kith/ir'
import { searchRun } from '@kith/pipelines/search'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { kith, succeed } from './support.ts'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)

/** Two topics of five documents each, of which each query knows two. */
beforeAll(async () => {
  const vector = (i: number) => Float32Array.of(i % 2, 1 - (i % 2), Math.sin(i * 5) * 0.2)
  const list = (count: number) => Array.from({ length: count }, (_, i) => vector(i))
  const ids = (count: number, letter: string) =>
    Array.from({ length: count }, (_, i) => `${letter}${i}`)
  const [queries, docs] = [path('queries.npy'), path('docs.npy')]
  await writeEmbeddings(docs, { dimensions: 3, ids: ids(10, 'd') }, list(10))
  await writeEmbeddings(queries, { dimensions: 3, ids: ids(2, 'q') }, list(2))
  writeFileSync(path('qrels.trec'), 'q0 0 d0 1\nq0 0 d2 1\nq1 0 d1 1\nq1 0 d3 1\n')
  await searchRun({ queries, docs, top: 10, out: path('run.trec') })
})

const inputs = (): string[] => [
  ...['--run', path('run.trec'), '--queries', path('queries.npy')],
  ...['--docs', path('docs.npy'), '--qrels', path('qrels.trec')],
]

describe('kith audit', () => {
  test('writes a list and a page, and merges the decisions', () => {
    const { out: printed, err } = kith(
      ...['audit', ...inputs(), '--out', path('audit.tsv'), '--per-query', '3'],
    )
    expect(err).toBe(
      'the page shows ids only; add --corpus and --query-text to show texts\n' +
        `vectors differ in length; using metric dot from ${path('run.trec')}.meta.json\n`,
    )
    expect(printed).toBe(
      `${path('audit.tsv')}: 6 unjudged documents of 2 queries, strongest evidence first\n` +
        `${path('audit.html')}: open it in a browser to judge them\n`,
    )
    expect(readFileSync(path('audit.html'), 'utf8')).toContain('<title>Kith audit</title>')
    writeFileSync(path('decisions.qrels'), 'q0 0 d4 1\nq0 0 d6 0\n')
    const merged = succeed(
      ...['audit', '--qrels', path('qrels.trec'), '--accept', path('decisions.qrels')],
      ...['--out', path('merged.trec')],
    )
    expect(merged).toBe(`${path('merged.trec')}: 1 documents accepted, 1 rejected\n`)
  })

  test('prints the counts with --json, and writes the page to --page', () => {
    const options = [
      '--page',
      path('judge.html'),
      '--limit',
      '3',
      '--set',
      'contextSize=8',
      '--level',
      '1',
    ]
    const printed = succeed(
      ...['audit', ...inputs(), '--out', path('json.tsv'), ...options, '--json'],
    )
    expect(JSON.parse(printed)).toEqual({
      ...{ out: path('json.tsv'), page: path('judge.html') },
      ...{ queries: 2, documents: 3, leftOut: {} },
    })
    const { settings } = JSON.parse(readFileSync(path('json.tsv.meta.json'), 'utf8'))
    expect(settings).toMatchObject({ contextSize: 8, target: 'joint', top: 10, missing: 'error' })
  })

  test('prints a table with --evaluate', () => {
    const printed = succeed('audit', ...inputs(), '--evaluate', '--repeats', '2')
    expect(printed).toContain('among the first unjudged documents: 2 queries, 2 draws\n')
    expect(printed).toMatch(/joint +\d\.\d{3} ± \d\.\d{3}/)
    expect(printed).toMatch(/query similarity +\d\.\d{3} ± \d\.\d{3}/)
  })

  test('exits with 2 for missing options, and with 1 for data that does not fit', () => {
    const refused = (...args: string[]): [number | null, string] => {
      const { code, err } = kith('audit', ...args)
      return [code, err]
    }
    expect(refused(...inputs())).toEqual([2, expect.stringContaining('--out FILE is required')])
    expect(refused('--qrels', path('qrels.trec'), '--out', path('x'))).toEqual([
      2,
      expect.stringContaining('--run FILE is required'),
    ])
    writeFileSync(path('bad.qrels'), 'q0 0 d0 0\n')
    const accept = ['--accept', path('bad.qrels'), '--out', path('never.trec')]
    expect(refused('--qrels', path('qrels.trec'), ...accept)).toEqual([
      1,
      expect.stringMatching(/d0 of query q0 has grade 0, .* has grade 1/),
    ])
  })
})
