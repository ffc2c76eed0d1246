import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tries } from '../../../test/thorough.ts'
import { explain, type Ranking, rerank, termStatistics } from '../src/index.ts'
import { allKernels, expectClose, random } from './support.ts'
import { caseShapes, collectionTexts, givenText, wordsCase } from './words-contexts.ts'
import { type OracleMember, rankByWords, statisticsOf } from './words-oracle.ts'

const defaults = {
  metric: 'cosine',
  ...{ contextSize: 50, k: 10, kExp: 4, bm25Weight: 0.4, k1: 0.9, b: 0.4 },
  ...{ neighborWeight: 0.2, supportDocs: 5, supportWeight: 0.2, preselect: 0 },
  ...{ windowWeight: 0.1, windowTerms: 8, titleWeight: 0.1 },
} as const

/** Candidates some of which have no vector, and some a score. */
function partly(
  candidates: readonly OracleMember[],
  lacking: number,
  scored: number,
  seed: number,
): OracleMember[] {
  const next = random(seed)
  return candidates.map(({ vector, text, title }) => ({
    text,
    title,
    vector: next() < lacking ? undefined : vector,
    score: next() < scored ? next() * 10 : undefined,
  }))
}

function rankMembers(
  query: OracleMember,
  candidates: readonly OracleMember[],
  settings: Parameters<typeof rerank>[2],
): Ranking {
  return rerank(
    { vector: query.vector as Float32Array, text: query.text },
    {
      vectors: candidates.map(({ vector }) => vector as Float32Array | undefined),
      texts: candidates.map(givenText),
      scores: candidates.map(({ score }) => score),
    },
    settings,
  )
}

describe.each(allKernels)('candidates without vectors on %s', (kernel) => {
  test('ranks as docs/method.md says if some, all or no vectors are missing', () => {
    fc.assert(
      fc.property(
        caseShapes(50),
        fc.constantFrom(0, 0.3, 0.9, 1),
        fc.constantFrom(0, 0.5, 1),
        fc.constantFrom(0, 30),
        fc.boolean(),
        (shape, lacking, scored, preselect, known) => {
          const { query, candidates } = wordsCase({ ...shape, kind: 'clustered', twins: 0 })
          const some = partly(candidates, lacking, scored, shape.seed)
          const collection = collectionTexts(shape.seed)
          const all = { ...defaults, preselect, contextSize: preselect > 0 ? 12 : 50 }
          const expected = rankByWords(query, some, {
            ...all,
            statistics: known ? statisticsOf(collection) : undefined,
          })
          fc.pre(!expected.ambiguous)
          const statistics = known ? termStatistics(collection) : undefined
          const { order, scores } = rankMembers(query, some, { ...all, statistics, kernel })
          const inside = expected.scores.size
          expectClose(
            scores.subarray(0, inside),
            Array.from(order.subarray(0, inside), (c) => expected.scores.get(c) ?? Number.NaN),
            1e-4,
          )
          expect([...order.subarray(inside)]).toEqual(expected.order.slice(inside))
        },
      ),
      tries(20),
    )
  })

  test('ignores scores if all vectors are given', () => {
    const { query, candidates } = wordsCase({ count: 30, seed: 3 })
    const scored = partly(candidates, 0, 1, 3)
    for (const mix of ['words', 'standard'] as const) {
      expect(rankMembers(query, scored, { kernel, mix })).toEqual(
        rerank(
          { vector: query.vector, text: query.text },
          {
            vectors: candidates.map(({ vector }) => vector),
            texts: candidates.map(({ text }) => text),
          },
          { kernel, mix },
        ),
      )
    }
  })

  test('scores a missing cosine as the mean cosine', () => {
    const { query, candidates } = wordsCase({ count: 20, seed: 4 })
    const texts = candidates.map(({ text }) => text)
    const vectors = candidates.map(({ vector }, i) => (i === 7 ? undefined : vector))
    const asked = { vector: query.vector, text: query.text }
    const { geometric } = explain(asked, { vectors, texts }, 7, { kernel })
    expect(geometric).toBeCloseTo(0, 6)
  })

  test('gives scores the weight of the missing similarity', () => {
    const { query, candidates } = wordsCase({ count: 24, seed: 5 })
    const other = wordsCase({ count: 24, seed: 6 })
    const texts = candidates.map(({ text }) => text)
    const asked = { vector: query.vector, text: query.text, views: { other: other.query.vector } }
    const found = {
      texts,
      vectors: candidates.map(({ vector }, i) => (i < 2 ? undefined : vector)),
      scores: candidates.map((_, i) => i),
      views: { other: other.candidates.map(({ vector }) => vector) },
    }
    const views = {
      vectors: { graph: 0.7, score: 0 },
      other: { graph: 0, score: 1 },
      texts: { graph: 0.3, score: 0 },
    }
    // Without a weight of the vectors in the score, no score counts.
    expect(rerank(asked, found, { kernel, views })).toEqual(
      rerank(asked, { ...found, scores: undefined }, { kernel, views }),
    )
  })

  test('accepts missing vectors in the ranking by two views', () => {
    const { query, candidates } = wordsCase({ count: 24, seed: 7 })
    for (const lacking of [0.4, 1]) {
      const some = partly(candidates, lacking, 1, 7)
      const { order, scores } = rankMembers(query, some, { kernel, mix: 'standard' })
      expect(new Set(order).size).toBe(24)
      expect(scores.every(Number.isFinite)).toBe(true)
    }
  })
})

test('refuses a missing vector without texts, and needs no query vector without vectors', () => {
  expect(() => rerank([1], [[1], undefined] as never)).toThrow('candidate 1')
  const texts = ['flow', 'wing']
  expect([...rerank({ text: 'wing' }, { texts }).order]).toEqual([1, 0])
  expect(() => rerank({ text: 'wing' }, { vectors: [[1], null], texts })).toThrow('query')
})

test('refuses scores that are not numbers', () => {
  const texts = ['flow', 'wing']
  for (const score of [Number.NaN, Number.POSITIVE_INFINITY, 'high']) {
    expect(() => rerank({ text: 'wing' }, { texts, scores: [1, score as number] })).toThrow(
      expect.objectContaining({
        code: 'BAD_INPUT',
        message: expect.stringContaining('candidate 1'),
      }),
    )
  }
  expect(() => rerank({ text: 'wing' }, { texts, scores: [1] })).toThrow(
    expect.objectContaining({ code: 'BAD_SHAPE', message: expect.stringContaining('scores') }),
  )
})
