import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { prepareText, termStatistics } from '@kith/core'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { OpenTexts } from '../src/join/open-texts.ts'
import { PreparedTexts, textsOfRun } from '../src/join/prepared-texts.ts'

const folder = temporaryFolder()
const documents = [
  { id: 'd1', title: 'Bees', text: 'make honey' },
  { id: 'd2', text: 'wasps do not' },
  { id: 'd3', text: 'nor do flies' },
]
const queries = [
  { id: 'q1', text: 'who makes honey' },
  { id: 'q2', text: 'another query' },
]
const files = { corpus: join(folder, 'corpus.jsonl'), queryText: join(folder, 'queries.jsonl') }
const lines = (entries: readonly { id: string }[]): string =>
  entries.map(({ id, ...rest }) => JSON.stringify({ _id: id, ...rest })).join('\n')
writeFileSync(files.corpus, lines(documents))
writeFileSync(files.queryText, lines(queries))

/** A run of one query with all documents and one that has no text. */
const rankings = [{ ids: ['d2', 'd1', 'd9', 'd3'] }]
const run = {
  has: (id: string) => id === 'q1',
  [Symbol.iterator]: () => rankings.values(),
}

const plain = { tokenizer: 'english', count: false } as const

test('reads only the texts of a run, up to the context', async () => {
  const texts = await PreparedTexts.read(files, textsOfRun(run, 2, 'error'), plain)
  expect(['q1', 'q2'].map((id) => texts.hasQuery(id))).toEqual([true, false])
  expect(['d1', 'd2', 'd3', 'd9'].map((id) => texts.hasDocument(id))).toEqual([
    ...[true, true, false, false],
  ])
  expect(texts.documents.get('d1')).toEqual(prepareText({ title: 'Bees', text: 'make honey' }))
})

test('counts the terms of all documents meanwhile, also of documents that are no candidates', async () => {
  const count = { tokenizer: 'english', count: true } as const
  const texts = await PreparedTexts.read(files, textsOfRun(run, 1, 'error'), count)
  const all = documents.map(({ title, text }) => (title ? `${title} ${text}` : text))
  expect(texts.statistics).toEqual(termStatistics(all))
  expect(['d1', 'd2', 'd3'].filter((id) => texts.hasDocument(id))).toEqual(['d2'])
})

test('reads the texts of all candidates if missing ones may be skipped', async () => {
  const texts = await PreparedTexts.read(files, textsOfRun(run, 2, 'skip'), plain)
  expect(texts.hasDocument('d3')).toBe(true)
})

test('returns the same texts from files and from memory, read at once or as needed', async () => {
  const read = await PreparedTexts.read(files, textsOfRun(run, 4, 'error'), plain)
  const held = PreparedTexts.of(queries, documents, 'english')
  const opened = await OpenTexts.open(files, 'english')
  const inMemory = OpenTexts.of(queries, documents, 'english')
  try {
    const ids = ['d3', 'd1']
    const expected = [read.queries.get('q1'), ...ids.map((id) => read.documents.get(id))]
    expect(opened.prepared('q1', ids)).toEqual(expected)
    expect(inMemory.prepared('q1', ids)).toEqual(expected)
    for (const { id } of documents) expect(held.document(id)).toEqual(read.document(id))
    expect(opened.document('d1')).toEqual(documents[0])
    expect([opened.hasQuery('q2'), opened.hasQuery('d1')]).toEqual([true, false])
    expect([inMemory.hasDocument('d2'), inMemory.hasDocument('d9')]).toEqual([true, false])
  } finally {
    await opened.close()
  }
})

test('prepares a text once for all queries with this candidate', () => {
  const texts = OpenTexts.of(queries, documents, 'english')
  const [, first] = texts.prepared('q1', ['d1'])
  const [, again] = texts.prepared('q2', ['d1'])
  expect(again).toBe(first)
})
