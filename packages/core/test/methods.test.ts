import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tries } from '../../../test/thorough.ts'
import { methods } from '../src/baselines/method-settings.ts'
import { presets, rerank } from '../src/index.ts'
import { contexts, makeContext } from './contexts.ts'
import { rowSimilarity } from './row-forms.ts'
import { splitContext } from './support.ts'

const query = [1, 0]
const vectors = [
  [0.9, 0.1],
  [0.8, 0.9],
  [0.7, 0.8],
  [0.6, -0.9],
]

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return Array.from(a).reduce((sum, value, i) => sum + value * b[i]!, 0)
}

describe('rerank with method rocchio', () => {
  test('ranks by the query vector, moved towards its first candidates by feedbackWeight', () => {
    const settings = {
      method: 'rocchio',
      feedbackDocs: 3,
      feedbackWeight: 0.6,
      metric: 'dot',
    } as const
    const moved = [0.4 + 0.6 * 0.8, 0.6 * 0.6]
    const { order, scores } = rerank(query, vectors, settings)
    expect([...order]).toEqual([1, 2, 0, 3])
    order.forEach((candidate, place) => {
      expect(scores[place]).toBeCloseTo(dot(moved, vectors[candidate]!), 6)
    })
  })

  test('keeps the order if feedbackWeight is 0, and ranks an empty list', () => {
    const settings = { method: 'rocchio', feedbackWeight: 0, metric: 'dot' } as const
    const { order, scores } = rerank(query, vectors, settings)
    expect([...order]).toEqual([0, 1, 2, 3])
    expect(scores[3]).toBeCloseTo(0.6, 6)
    expect(rerank(query, [], { method: 'rocchio' }).order).toHaveLength(0)
  })

  test('refuses a number that is not finite', () => {
    const huge = [[3e38], [3e38], [3e38]]
    expect(rerank([1], huge, { method: 'rocchio' }).order).toHaveLength(3)
    expect(() => rerank([Number.NaN], huge, { method: 'rocchio' })).toThrow(/NaN/)
  })
})

test('neighbor-rrf adds the reciprocal ranks by geometric and Jaccard similarity', () => {
  const context = makeContext('clustered', 21, 8)
  const { query: q, candidates } = splitContext(context)
  const { geometric, jaccard } = rowSimilarity(context, [0])
  const ranks = [geometric[0]!, jaccard[0]!].map((scores) => {
    const order = Array.from({ length: 20 }, (_, i) => i).sort(
      (a, b) => scores[b + 1]! - scores[a + 1]! || a - b,
    )
    return order.map((_, i) => order.indexOf(i) + 1)
  })
  const expected = ranks[0]!.map((rank, i) => 1 / (60 + rank) + 1 / (60 + ranks[1]![i]!))
  const { order, scores } = rerank(q, candidates, { method: 'neighbor-rrf' })
  order.forEach((candidate, place) => {
    expect(scores[place]).toBeCloseTo(expected[candidate]!, 7)
  })
})

test('fusion ranks by both views without neighbors, and refuses candidates without texts', () => {
  const texts = ['red apple', 'green apple', 'red car', 'blue sky']
  const asked = { vector: query, text: 'red car' }
  const alone = { neighborWeight: 0, supportWeight: 0, windowWeight: 0, titleWeight: 0 }
  expect(rerank(asked, { vectors, texts }, { method: 'fusion' })).toEqual(
    rerank(asked, { vectors, texts }, alone),
  )
  const first = presets['balanced-1']
  expect(rerank(asked, { vectors, texts }, { ...first, method: 'fusion' })).toEqual(
    rerank(asked, { vectors, texts }, { ...first, lambda: 1 }),
  )
  expect(() => rerank(query, vectors, { method: 'fusion' })).toThrow(
    expect.objectContaining({ code: 'BAD_SETTING' }),
  )
})

test('rerank uses the method neighbors by default', () => {
  expect(rerank(query, vectors, { k: 2 })).toEqual(
    rerank(query, vectors, { k: 2, method: 'neighbors' }),
  )
})

test('rerank refuses settings out of range', () => {
  for (const settings of [{ method: 'none' }, { feedbackDocs: 0 }, { neighborRrfK: -1 }]) {
    expect(() => rerank(query, vectors, settings as object)).toThrow(
      expect.objectContaining({ code: 'BAD_SETTING' }),
    )
  }
})

test('every method ranks every candidate, with finite and falling scores', () => {
  fc.assert(
    fc.property(
      contexts(['integers', 'floats', 'clustered'], { rows: 70, dimensions: 20 }),
      fc.constantFrom(...methods),
      fc.integer({ min: 1, max: 80 }),
      fc.constantFrom<'dot' | 'cosine'>('dot', 'cosine'),
      ({ context }, method, contextSize, metric) => {
        const { query: vector, candidates } = splitContext(context)
        const texts = Array.from({ length: context.rows - 1 }, (_, i) => `word${i % 5} common`)
        const asked = { vector, text: 'word1 common' }
        const found = { vectors: candidates, texts }
        const { order, scores } = rerank(asked, found, { method, contextSize, metric })
        expect([...order].sort((a, b) => a - b)).toEqual(texts.map((_, i) => i))
        scores.forEach((score, i) => {
          expect(Number.isFinite(score)).toBe(true)
          if (i > 0) expect(score).toBeLessThanOrEqual(scores[i - 1]!)
        })
        const behind = [...order].slice(contextSize)
        expect(behind).toEqual([...behind].sort((a, b) => a - b))
      },
    ),
    tries(50),
  )
})
