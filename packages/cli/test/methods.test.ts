import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readRun } from '@kith/ir'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { writeSmallCrossEncoder } from '../../encoder/test/small-cross-encoder.ts'
import { writeTurned } from '../../pipelines/test/turned.ts'
import { kith, succeed } from './support.ts'

const folder = temporaryFolder()
const path = (name: string): string => join(folder, name)

test('names wrong options of a method', () => {
  const files = ['--run', 'r', '--queries', 'q', '--docs', 'd', '--out', 'o']
  const wrong = (...args: string[]): string => {
    const { code, err } = kith('rerank', ...files, ...args)
    expect(code).toBe(2)
    return err
  }
  expect(wrong('--set', 'method=magic')).toMatch(/neighbors, fusion, rocchio, neighbor-rrf/)
  expect(wrong('--set', 'method=average')).toMatch(/neighbors, fusion, rocchio, neighbor-rrf/)
  expect(wrong('--set', 'method=rocchio', '--set', 'feedbackWeight=2')).toMatch(
    /feedbackWeight must be .*, got 2/,
  )
  expect(wrong('--then-cross-encode', 'm:0')).toMatch(
    /must rerank at least 1 document, such as MODEL:10, got m:0/,
  )
  const both = ['--then-cross-encode', 'm:3']
  expect(wrong(...both)).toMatch(/needs texts; add --corpus and --query-text/)
})

test('applies a cross-encoder after the ranking, and prints the figures of all three runs', async () => {
  await writeTurned(folder)
  writeSmallCrossEncoder(path('model'))
  const corpus = Array.from({ length: 80 }, (_, i) =>
    JSON.stringify({ _id: `d${i}`, text: `${'kith '.repeat(i % 7)}dense` }),
  )
  writeFileSync(path('corpus.jsonl'), corpus.join('\n'))
  const printed = succeed(
    ...['rerank', '--run', path('run.trec'), '--queries', path('queries.npy')],
    ...['--docs', path('docs.npy'), '--corpus', path('corpus.jsonl')],
    ...['--query-text', path('queries.jsonl'), '--qrels', path('dev.trec')],
    ...['--then-cross-encode', `${path('model')}:3`, '--out', path('out.trec')],
  )
  expect(printed).toMatch(/48 queries reranked, 144 texts read by the cross-encoder in/)
  for (const name of ['before', 'reranked', 'after']) {
    expect(printed).toMatch(new RegExp(`^ *${name} `, 'm'))
  }
  expect((await readRun(path('out.trec'))).queries).toHaveLength(48)
  const { settings } = JSON.parse(readFileSync(path('out.trec.meta.json'), 'utf8'))
  expect(settings.thenCrossEncode).toEqual({ model: path('model'), first: 3 })
})
