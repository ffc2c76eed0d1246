import '@kith/languages'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { explain, termStatistics } from '@kith/core'
import { resolveSettings } from '@kith/core/internal'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { rareWords } from '../src/postgres/postgres-words.ts'
import { WordIndex } from '../src/search/word-index.ts'
import { keepWords, keptWords } from '../src/search/word-index-file.ts'

const word = fc.constantFrom(
  'bee',
  'bees',
  'honey',
  'hive',
  'wasp',
  'the',
  'garden',
  'Blüte',
  '蜜蜂',
)
const text = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(' '))

test('ranks by the BM25 score of the core', () => {
  const settings = resolveSettings()
  let found = 0
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 20 }), text, (texts, query) => {
      const index = new WordIndex(settings)
      for (const [i, one] of texts.entries()) index.add(`d${i}`, one)
      const statistics = termStatistics(texts)
      expect(index.statistics()).toEqual(statistics)
      const scores = texts.map(
        (_, i) => explain({ text: query }, { texts }, i, { statistics }).words,
      )
      const ids = index.search(query, 5)
      const best = scores.filter((score) => score > 0).sort((a, b) => b - a)
      // Their scores, since equal ones can differ in the last bit of a sum.
      expect(ids).toHaveLength(Math.min(5, best.length))
      for (const [i, id] of ids.entries()) {
        expect(scores[Number(id.slice(1))]).toBeCloseTo(best[i]!, 9)
      }
      expect(new Set(ids).size).toBe(ids.length)
      found += ids.length
    }),
    { numRuns: 100 },
  )
  expect(found).toBeGreaterThan(100)
})

test('returns equal documents in their order, and no document without a query word', () => {
  const index = new WordIndex(resolveSettings())
  for (const id of ['a', 'b', 'c', 'd']) index.add(id, id === 'c' ? 'wasps' : 'honey bees')
  expect(index.search('bee', 2)).toEqual(['a', 'b'])
  expect(index.search('bee', 9)).toEqual(['a', 'b', 'd'])
  expect(index.search('the', 9)).toEqual([])
  expect(index.search('', 9)).toEqual([])
})

test('finds the same with a stored index, and ignores one that is damaged or of other texts', async () => {
  const file = join(temporaryFolder(), 'deep', 'index.words')
  const settings = resolveSettings({ tokenizer: 'german' })
  const index = new WordIndex(settings)
  const texts = ['Die Bienen fliegen', 'Häuser am See', 'eine Biene am See', '']
  for (const [i, one] of texts.entries()) index.add(`d\n${i}`, one)
  await keepWords(file, 'these', index.finish())
  const kept = (await keptWords(file, 'these'))!
  const again = WordIndex.of(kept, settings)
  for (const query of ['Biene', 'die Häuser', 'See', 'Wespe', '']) {
    expect(again.rank(query, 3)).toEqual(index.rank(query, 3))
  }
  expect(again.statistics()).toEqual(termStatistics(texts, { tokenizer: 'german' }))
  // The places stay in the file: another file of its name does not disturb those who have it open.
  const bytes = readFileSync(file)
  rmSync(file)
  writeFileSync(file, 'another')
  expect(again.rank('See', 3)).toEqual(index.rank('See', 3))
  again.close()
  expect(() => again.rank('See', 3)).toThrow(expect.objectContaining({ code: 'CLOSED' }))
  writeFileSync(file, bytes)
  expect(await keptWords(file, 'others')).toBeUndefined()
  expect(await keptWords(`${file}.absent`, 'these')).toBeUndefined()
  for (const at of [0, 1030, bytes.length - 1]) {
    const damaged = Buffer.from(bytes)
    damaged[at]! ^= 1
    writeFileSync(file, damaged)
    expect(await keptWords(file, 'these')).toBeUndefined()
  }
  writeFileSync(file, bytes.subarray(0, bytes.length - 9))
  expect(await keptWords(file, 'these')).toBeUndefined()
})

test('rareWords returns words of few documents for PostgreSQL, the rarest first', () => {
  const texts = Array.from(
    { length: 6000 },
    (_, i) => `bees${i % 2 ? ' hives' : ''}${i < 9 ? ' wasps' : ''}`,
  )
  const statistics = termStatistics(texts)
  const rare = rareWords('The wasp, wasps: a bee in HIVES of moths', statistics)
  // Bees are in all of 6,000 documents, moths in none.
  expect(rare.map(({ word }) => word)).toEqual(['wasp', 'HIVES'])
  expect(rare[0]!.weight).toBeCloseTo(Math.log(1 + 5991.5 / 9.5), 9)
  expect(rareWords('bees', statistics)).toEqual([])
})
