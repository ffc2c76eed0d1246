import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readTexts } from '@kith/ir'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { convertFile } from '../src/convert/convert-file.ts'

const folder = temporaryFolder()
const at = (name: string): string => join(folder, name)
const sentence = (i: number): string => `Sentence ${i} says a little about the flight of bees.`
const sentences = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, i) => sentence(from + i))

async function passagesOf(...documents: object[]) {
  const lines = documents.map((document) => JSON.stringify(document)).join('\n')
  writeFileSync(at('corpus.jsonl'), lines)
  const out = at('passages.jsonl')
  const files = { input: at('corpus.jsonl'), out }
  const count = await convertFile({ kind: 'texts', passages: true, ...files })
  const entries = []
  for await (const entry of readTexts(out)) entries.push(entry)
  expect(entries).toHaveLength(count)
  return entries
}

test.each([
  ['one line', ' '],
  ['lines', '\n'],
  ['paragraphs', '\n\n'],
])('splits a long text of %s at the ends of sentences', async (_, between) => {
  const long = sentences(0, 100).join(between)
  const short = { _id: 'short', title: 'Wasps', text: ' A short text. ' }
  const [first, second, ...rest] = await passagesOf(
    { _id: 'long', title: 'Bees', text: long },
    short,
  )
  expect(first).toMatchObject({ id: 'long', title: 'Bees' })
  expect(second).toMatchObject({ id: 'long#2', title: 'Bees' })
  expect(rest.pop()).toEqual({ id: 'short', title: short.title, text: short.text })
  const cut = [first!, second!, ...rest]
  expect(cut.length).toBeGreaterThan(5)
  expect(new Set(cut.map(({ id }) => id)).size).toBe(cut.length)
  for (const { text } of cut) {
    expect(text).toMatch(/^Sentence .*\.$/s)
    expect(text.length).toBeLessThan(1100)
  }
  const words = (text: string) => text.split(/\s+/)
  expect(cut.flatMap(({ text }) => words(text))).toEqual(words(long))
})

test('refuses documents with the ids of passages', async () => {
  await expect(passagesOf({ _id: 'd1#2', text: 'x' })).rejects.toThrow(
    'the id "d1#2" looks like the id of a passage; rename the document',
  )
})

test('ranks the documents of a run by their best passages', async () => {
  const lines = ['d2#3 5', 'd1 4', 'd2 3', 'd1#2 2', 'c#x 1']
  const run = lines.map((line, i) => `q1 Q0 ${line.replace(' ', ` ${i + 1} `)} t\n`)
  writeFileSync(at('run.trec'), run.join(''))
  const files = { input: at('run.trec'), out: at('documents.trec') }
  expect(await convertFile({ kind: 'run', passages: true, ...files })).toBe(1)
  expect(readFileSync(files.out, 'utf8')).toBe(
    'q1 Q0 d2 1 5 kith\nq1 Q0 d1 2 4 kith\nq1 Q0 c#x 3 1 kith\n',
  )
  await expect(convertFile({ kind: 'qrels', passages: true, ...files })).rejects.toThrow(
    'passages has no effect with kind qrels',
  )
})
