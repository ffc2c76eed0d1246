import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rerank, termStatistics } from '../src/index.ts'
import { caseShapes, givenText, wordsCase } from './words-contexts.ts'

type Settings = NonNullable<Parameters<typeof rerank>[2]>

test('a ranking contains the inner product or cosine of each candidate with the query', () => {
  const methods = ['neighbors', 'fusion', 'rocchio', 'neighbor-rrf'] as const
  fc.assert(
    fc.property(
      caseShapes(60),
      fc.constantFrom(...methods),
      fc.constantFrom('dot', 'cosine'),
      fc.boolean(),
      fc.boolean(),
      (shape, method, metric, withTexts, preselects) => {
        const { query, candidates } = wordsCase(shape)
        const vectors = candidates.map(({ vector }) => vector)
        const texts = candidates.map(givenText)
        const needsTexts = withTexts || method === 'fusion'
        const settings: Settings = { method, metric, contextSize: 20 }
        if (needsTexts && preselects && method !== 'rocchio' && method !== 'neighbor-rrf') {
          settings.statistics = termStatistics(texts)
        }
        const given = needsTexts ? { vectors, texts } : { vectors }
        const asked = needsTexts ? { vector: query.vector, text: query.text } : query.vector
        const found = rerank(asked, given, settings)
        const looked = settings.statistics ? vectors.length : 20
        found.order.forEach((index, i) => {
          const vector = vectors[index]!
          const dot = vector.reduce((sum, value, j) => sum + value * query.vector[j]!, 0)
          const length = Math.hypot(...vector) * Math.hypot(...query.vector)
          const expected = metric === 'dot' ? dot : dot / length || 0
          if (index < looked) expect(found.similarities![i]).toBeCloseTo(expected, 3)
          else expect(found.similarities![i]).toBeNaN()
        })
      },
    ),
    { numRuns: 60 },
  )
})

test('a ranking contains no similarity for a candidate without a vector, and none by words alone', () => {
  const { query, candidates } = wordsCase({ count: 12, seed: 3 })
  const texts = candidates.map(givenText)
  const vectors = candidates.map(({ vector }, i) => (i === 4 ? undefined : vector))
  const asked = { vector: query.vector, text: query.text }
  const { order, similarities } = rerank(asked, { vectors, texts })
  order.forEach((index, i) => {
    expect(Number.isNaN(similarities![i]!)).toBe(index === 4)
  })
  expect(rerank({ text: query.text }, { texts }).similarities).toBeUndefined()
})
