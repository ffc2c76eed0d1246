import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tries } from '../../../test/thorough.ts'
import {
  KithError,
  mergeTermStatistics,
  prepareText,
  rerank,
  TermStatisticsBuilder,
  termStatistics,
  termStatisticsFromBytes,
  termStatisticsFromJson,
  termStatisticsToBytes,
  termStatisticsToJson,
} from '../src/index.ts'
import '../src/tokenizers.ts'
import { termHash } from '../src/text/term-spans.ts'
import { tokenizerNames } from '../src/text/tokenizer.ts'
import { collectionTexts } from './words-contexts.ts'
import { statisticsOf } from './words-oracle.ts'

const texts = fc.integer().map((seed) => collectionTexts(seed, Math.abs(seed) % 25))
const sample = termStatistics(collectionTexts(7))

test('counts documents, length and frequencies of the texts', () => {
  fc.assert(
    fc.property(texts, (all) => {
      const { documents, length, hashes, frequencies } = termStatistics(all)
      const expected = statisticsOf(all)
      expect(documents).toBe(all.length)
      if (length > 0) expect(length / documents).toBeCloseTo(expected.meanLength, 9)
      const counted = [...expected.frequencies]
        .map(([term, count]) => [termHash(term), count] as const)
        .sort(([a], [b]) => a - b)
      expect(Array.from(hashes, (hash, i) => [hash, frequencies[i]])).toEqual(counted)
    }),
    tries(40),
  )
})

test('counts more terms than the first table can hold', () => {
  const words = Array.from({ length: 30_000 }, (_, i) => `w${i}x`)
  const { documents, length, hashes, frequencies } = termStatistics([
    words.join(' '),
    words.slice(0, 10).join(' '),
  ])
  expect([documents, length, hashes.length]).toEqual([2, 30_010, 30_000])
  expect(frequencies.filter((count) => count === 2).length).toBe(10)
})

test.each(tokenizerNames)(
  'merges statistics to the statistics of all texts, tokenizer %s',
  (tokenizer) => {
    fc.assert(
      fc.property(fc.array(texts, { minLength: 1, maxLength: 4 }), (parts) => {
        const merged = mergeTermStatistics(parts.map((part) => termStatistics(part, { tokenizer })))
        expect(merged).toEqual(termStatistics(parts.flat(), { tokenizer }))
      }),
      { numRuns: 30 },
    )
  },
)

test('counts the same for prepared texts and for texts one at a time', () => {
  const all = collectionTexts(3)
  expect(termStatistics(all.map((text) => prepareText(text)))).toEqual(termStatistics(all))
  const builder = new TermStatisticsBuilder()
  all.forEach((text, i) => {
    expect(builder.documents).toBe(i)
    builder.add(text)
  })
  expect(builder.finish()).toEqual(termStatistics(all))
})

test('refuses statistics that do not fit', () => {
  const none = termStatistics(['a'], { tokenizer: 'none' })
  const own = termStatistics(['a'], { tokenizer: (text) => [text] })
  expect(() => mergeTermStatistics([sample, none])).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT' }),
  )
  expect(() => mergeTermStatistics([own, own])).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT' }),
  )
  expect(() => mergeTermStatistics([])).toThrow(KithError)
  expect(() => termStatistics('a text' as never)).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT' }),
  )
  expect(() => termStatistics([prepareText('a', { tokenizer: 'none' })])).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT' }),
  )
  expect(() => termStatistics([5 as never])).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }))
  const query = { vector: [1], text: 'flow' }
  const candidates = { vectors: [[1], [2]], texts: ['flow', 'wing'] }
  // Without a tokenizer, that of the statistics is taken.
  expect(rerank(query, candidates, { statistics: none })).toEqual(
    rerank(query, candidates, { statistics: none, tokenizer: 'none' }),
  )
  expect(() => rerank(query, candidates, { statistics: none, tokenizer: 'english' })).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining("'none'") }),
  )
  expect(() => rerank(query, candidates, { statistics: {} as never })).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT' }),
  )
})

describe('stored term statistics', () => {
  test('can be read from bytes and from JSON', () => {
    const empty = termStatistics([])
    for (const statistics of [sample, empty, termStatistics(['x'], { tokenizer: 'prefix5' })]) {
      expect(termStatisticsFromBytes(termStatisticsToBytes(statistics))).toEqual(statistics)
      const json = JSON.parse(JSON.stringify(termStatisticsToJson(statistics)))
      expect(termStatisticsFromJson(json)).toEqual(statistics)
    }
  })

  test('can be read from a part of a larger buffer, and from a Buffer of Node', () => {
    const bytes = termStatisticsToBytes(sample)
    const larger = new Uint8Array(bytes.length + 13)
    larger.set(bytes, 5)
    expect(termStatisticsFromBytes(larger.subarray(5, 5 + bytes.length))).toEqual(sample)
    const pooled = Buffer.from(larger).subarray(5, 5 + bytes.length)
    expect(termStatisticsFromBytes(pooled)).toEqual(sample)
  })

  test('keep the name of any tokenizer in bytes and JSON', () => {
    for (const tokenizer of ['code', 'thai', 'english+japanese+hebrew'] as const) {
      const statistics = termStatistics(['getUserById', '東京 alpha'], { tokenizer })
      const bytes = termStatisticsToBytes(statistics)
      expect(termStatisticsFromBytes(bytes)).toEqual(statistics)
      expect(termStatisticsFromJson(termStatisticsToJson(statistics))).toEqual(statistics)
      for (let length = 0; length < bytes.length; length++) {
        expect(() => termStatisticsFromBytes(bytes.subarray(0, length))).toThrow(KithError)
      }
    }
  })

  test('are refused if the bytes are cut off anywhere', () => {
    const bytes = termStatisticsToBytes(sample)
    for (let length = 0; length < bytes.length; length++) {
      expect(() => termStatisticsFromBytes(bytes.subarray(0, length))).toThrow(KithError)
    }
    const longer = new Uint8Array(bytes.length + 1)
    longer.set(bytes)
    expect(() => termStatisticsFromBytes(longer)).toThrow(KithError)
  })

  test('with a flipped bit are refused, or still rank without a NaN', () => {
    const bytes = termStatisticsToBytes(sample)
    const query = { vector: [1, 0], text: 'flow of pressures' }
    const vectors = [
      [1, 0],
      [0, 1],
      [1, 1],
    ]
    const candidates = { vectors, texts: ['flow', 'wing pressure', 'shock'] }
    for (let at = 0; at < bytes.length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        const damaged = bytes.slice()
        damaged[at]! ^= 1 << bit
        let statistics: ReturnType<typeof termStatisticsFromBytes>
        try {
          statistics = termStatisticsFromBytes(damaged)
          if (statistics.tokenizer !== 'english') continue
        } catch (error) {
          expect(error).toBeInstanceOf(KithError)
          continue
        }
        const { scores } = rerank(query, candidates, { statistics })
        expect(scores.every(Number.isFinite)).toBe(true)
      }
    }
  })

  test('are refused if a count is not whole', () => {
    const bytes = new Uint8Array(40 + 18)
    bytes.set(termStatisticsToBytes(termStatistics(['flow'])))
    new Float64Array(bytes.buffer, 32, 1)[0] = 1.5
    expect(() => termStatisticsFromBytes(bytes)).toThrow(KithError)
  })

  test('are refused if no texts can have the JSON', () => {
    const good = JSON.parse(JSON.stringify(termStatisticsToJson(sample)))
    const wrong: object[] = [
      {},
      { ...good, tokenizer: 'klingon' },
      { ...good, documents: -1 },
      { ...good, documents: 1.5 },
      { ...good, length: null },
      { ...good, hashes: good.hashes.toReversed() },
      { ...good, hashes: good.hashes.slice(1) },
      { ...good, hashes: good.hashes.map(String) },
      { ...good, frequencies: good.frequencies.map(() => 0) },
      { ...good, frequencies: good.frequencies.map((count: number) => count + 0.5) },
      { ...good, frequencies: good.frequencies.map((count: number) => count + 2 ** 32) },
      { ...good, frequencies: good.frequencies.map(() => good.documents + 1) },
    ]
    for (const json of wrong) expect(() => termStatisticsFromJson(json)).toThrow(KithError)
    for (const value of [null, 5, 'x', []]) {
      expect(() => termStatisticsFromJson(value)).toThrow(KithError)
    }
  })
})
