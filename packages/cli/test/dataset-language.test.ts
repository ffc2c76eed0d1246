import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeEmbeddings } from '@kith/ir'
import { beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { kith, succeed } from './support.ts'

const folder = temporaryFolder()
const data = join(folder, 'german')
const kept = (name: string): string => join(data, '.kith', name)
const remark = 'tokenizer: german, by the texts of the dataset'

const places = 'Wien Berlin Hamburg Dresden Leipzig Bremen Köln Mainz Ulm Kiel Bonn Trier'.split(
  ' ',
)
const document = (place: string): string =>
  `Das Museum in ${place} ist am Morgen geschlossen, aber die Kasse wird schon früher geöffnet.`
const query = (place: string): string => `Wann werden die Museen in ${place} geöffnet?`

beforeAll(async () => {
  mkdirSync(join(data, 'qrels'), { recursive: true })
  const lines = (id: string, text: (place: string) => string): string =>
    places
      .map((place, i) => `${JSON.stringify({ _id: `${id}${i}`, text: text(place) })}\n`)
      .join('')
  writeFileSync(join(data, 'corpus.jsonl'), lines('d', document))
  writeFileSync(join(data, 'queries.jsonl'), lines('q', query))
  const judged = places.map((_, i) => `q${i}\td${i}\t1\n`).join('')
  writeFileSync(join(data, 'qrels/test.tsv'), `query-id\tcorpus-id\tscore\n${judged}`)
  for (const [name, id] of [
    ['docs', 'd'],
    ['queries', 'q'],
  ] as const) {
    const rows = places.map((_, i) => Float32Array.of(Math.cos(i), Math.sin(i), Math.cos(3 * i), 1))
    const ids = places.map((_, i) => `${id}${i}`)
    await writeEmbeddings(join(data, `${name}.npy`), { dimensions: 4, ids }, rows)
  }
})

test.each(['rerank', 'tune --trials 2 --folds 2', 'labels --texts', 'audit', 'calibrate'])(
  'kith %s uses the tokenizer that fits the dataset',
  (line) => {
    const [command, ...options] = line.split(' ')
    const { code, err } = kith(command!, data, ...options)
    expect(err).toContain(remark)
    expect(code).toBe(0)
  },
)

test('kith search --bm25 and kith term-statistics use the tokenizer that fits the dataset', () => {
  succeed('search', data, '--bm25')
  const { settings } = JSON.parse(readFileSync(kept('bm25.trec.meta.json'), 'utf8'))
  expect(settings.tokenizer).toBe('german')
  succeed('term-statistics', data)
  const made = JSON.parse(readFileSync(kept('terms.bin.meta.json'), 'utf8'))
  expect(made.settings.tokenizer).toBe('german')
})

test('a tokenizer that is named wins, and so do kept term statistics', () => {
  const { err } = kith('rerank', data, '--set', 'tokenizer=none', '--out', join(folder, 'a.trec'))
  expect(err).not.toContain('tokenizer:')
  succeed('term-statistics', data, '--tokenizer', 'plural')
  succeed('labels', data, '--texts', '--out', join(folder, 'labels.jsonl'))
  const { settings } = JSON.parse(readFileSync(join(folder, 'labels.jsonl.meta.json'), 'utf8'))
  expect(settings.tokenizer).toBe('plural')
  rmSync(kept('terms.bin'))
})

test('kith try says with how many cores its times were measured', () => {
  const cores = 'this step alone, in a batch on'
  expect(succeed('try', data, '--workers', '1')).toContain(`${cores} 1 core;`)
  // The steps are done: the times of one core stay.
  expect(succeed('try', data)).toContain(`${cores} 1 core;`)
  rmSync(kept('own/try'), { recursive: true })
  rmSync(kept('bm25.trec'))
  rmSync(kept('own/run.trec'))
  expect(succeed('try', data)).toContain(`${cores} all cores;`)
})
