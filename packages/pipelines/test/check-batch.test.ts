import { resolveLabelSettings, resolveMethodSettings } from '@kith/core'
import { describe, expect, test } from 'vitest'
import { decodeItem, encodeItem } from '../src/batches/batch-item.ts'
import { decodeLabels } from '../src/batches/batch-label.ts'
import { decodeRanking } from '../src/batches/batch-rerank.ts'
import { checkBatch } from '../src/batches/check-batch.ts'
import { emptySummary } from '../src/labels/query-labels.ts'

const usual = { missing: 'error', texts: false, statistics: false }
const rerank = { settings: resolveMethodSettings(), ...usual }
const labels = {
  settings: resolveLabelSettings(),
  layout: { format: 'jsonl', values: 'probability', negatives: 4 },
  level: 1,
  missing: 'skip',
  texts: false,
}
const check = (kind: string, settings: object) => () =>
  checkBatch({ name: 'mine', kind, settings: settings as Record<string, unknown> })

describe('a batch in the database', () => {
  test('accepts a batch as it was submitted', () => {
    expect(check('rerank', { collection: 'c', ...rerank })()).toEqual({
      kind: 'rerank',
      collection: 'c',
      settings: rerank,
    })
    expect(check('labels', labels)()).toMatchObject({ kind: 'labels', settings: labels })
  })

  const { k: _, ...withoutK } = rerank.settings
  const bad: [string, object, string][] = [
    ['sort', rerank, 'setting kind must be rerank or labels, got "sort"'],
    ['rerank', {}, 'setting settings must be an object, got undefined'],
    ['rerank', { ...rerank, settings: [] }, 'setting settings must be'],
    ['rerank', { ...rerank, settings: { ...rerank.settings, k: '10' } }, 'setting k must be'],
    ['rerank', { ...rerank, settings: { ...rerank.settings, k: -1 } }, 'setting k must be'],
    ['rerank', { ...rerank, settings: withoutK }, 'setting k is missing'],
    [
      'rerank',
      { ...rerank, settings: { ...rerank.settings, contextSize: 1e9 } },
      'setting contextSize must be a whole number from 1 to 16384, got 1000000000',
    ],
    ['rerank', { ...rerank, settings: { ...rerank.settings, x: 1 } }, 'unknown setting "x"'],
    ['rerank', { ...rerank, missing: 'ignore' }, 'setting missing must be'],
    ['rerank', { ...rerank, texts: 1 }, 'setting texts must be'],
    ['rerank', { ...rerank, statistics: 'all' }, 'setting statistics must be'],
    ['rerank', { ...rerank, collection: 3 }, 'setting collection must be'],
    ['labels', rerank, 'setting mix must be'],
    [
      'labels',
      { ...labels, settings: { ...labels.settings, method: 'neighbor-rrf' } },
      'unknown setting "method"',
    ],
    ['labels', { ...labels, layout: null }, 'setting layout must be'],
    [
      'labels',
      { ...labels, layout: { ...labels.layout, format: 'xml' } },
      'setting layout.format must be',
    ],
    [
      'labels',
      { ...labels, layout: { ...labels.layout, negatives: 0.5 } },
      'setting layout.negatives must be',
    ],
    ['labels', { ...labels, level: null }, 'setting level must be'],
  ]
  test.each(bad)('is refused if it is %s %j', (kind, settings, problem) => {
    expect(check(kind, settings)).toThrow(
      expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining('mine') }),
    )
    expect(check(kind, settings)).toThrow(problem)
  })
})

describe('an item in the database', () => {
  const item = {
    query: 'q',
    ids: ['a', 'b'],
    vector: Float32Array.of(1, 2, 3),
    scores: Float64Array.of(2, 1),
    text: { id: 'q', text: 'words' },
    truth: [['a', 1]] as [string, number][],
  }
  const good = encodeItem(item)
  const withHeader = (header: unknown, numbers = 12): Buffer => {
    const json = Buffer.from(typeof header === 'string' ? header : JSON.stringify(header))
    const length = Buffer.alloc(4)
    length.writeUInt32LE(json.length)
    return Buffer.concat([length, json, Buffer.alloc(numbers)])
  }

  test('is read back as written', () => {
    expect(decodeItem('q', good)).toEqual(item)
    expect(decodeItem('q', encodeItem({ query: 'q', ids: [], vector: undefined })).ids).toEqual([])
  })

  const ids = ['a', 'b']
  test.each([
    ['nothing', Buffer.alloc(0)],
    ['three bytes', good.subarray(0, 3)],
    ['half of it', good.subarray(0, 20)],
    ['no scores at its end', good.subarray(0, good.length - 5)],
    ['more at its end', Buffer.concat([good, Buffer.alloc(3)])],
    ['a long header', Buffer.alloc(9, 255)],
    ['no JSON', withHeader('{')],
    ['null', withHeader(null)],
    ['no ids', withHeader({ dimensions: 3 })],
    ['numbers as ids', withHeader({ ids: [1], dimensions: 3 })],
    ['words as dimensions', withHeader({ ids, dimensions: '3' })],
    ['a fraction of dimensions', withHeader({ ids, dimensions: 0.5 })],
    ['fewer dimensions than none', withHeader({ ids, dimensions: -1 })],
    ['too many dimensions', withHeader({ ids, dimensions: 1e15 })],
    ['a number as text', withHeader({ ids, dimensions: 3, text: { text: 3 } })],
    ['truth without grades', withHeader({ ids, dimensions: 3, truth: ['a'] })],
    ['truth that is null', withHeader({ ids, dimensions: 3, truth: [null] })],
  ])('is refused if it is or has %s', (_, bytes) => {
    expect(() => decodeItem('q9', bytes)).toThrow(
      expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining('q9') }),
    )
  })

  test.each([
    ['an odd length', Buffer.alloc(9)],
    ['a place twice', Buffer.concat([Buffer.alloc(8), Buffer.alloc(8)])],
    ['a place outside', Buffer.concat([Buffer.from([7, 0, 0, 0]), Buffer.alloc(4)])],
  ])('is refused if its ranking has %s', (_, bytes) => {
    expect(() => decodeRanking(item, bytes)).toThrow(
      expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining('query q') }),
    )
  })

  test.each(['', '{', 'null', '{}', '{"part":3}', '{"part":"x","summary":{},"answered":true}'])(
    'is refused if its labels are %j',
    (json) => {
      expect(() => decodeLabels('q', Buffer.from(json))).toThrow(
        expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining('query q') }),
      )
    },
  )

  test('returns its labels', () => {
    const result = { part: 'x\n', summary: { ...emptySummary }, answered: true }
    expect(decodeLabels('q', Buffer.from(JSON.stringify(result)))).toEqual(result)
  })
})
