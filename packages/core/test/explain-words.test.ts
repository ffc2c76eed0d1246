import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tries } from '../../../test/thorough.ts'
import { explain, prepareText, rerank, type TextSpan, termStatistics } from '../src/index.ts'
import { allKernels } from './support.ts'
import { caseShapes, collectionTexts, givenText, wordsCase } from './words-contexts.ts'
import { stemsOf, wholeOf, wordsScoresOf } from './words-oracle.ts'

const SUPPORT = 5

describe.each(allKernels)('explain with words on %s', (kernel) => {
  test('returns parts that add up to the score, terms that add up to the BM25 score, and supporters', () => {
    fc.assert(
      fc.property(
        caseShapes(40).filter(({ count }) => count > 0),
        fc.boolean(),
        fc.constantFrom(0, 30),
        fc.nat(),
        (shape, known, preselect, which) => {
          const { query, candidates } = wordsCase(shape)
          const statistics = known ? termStatistics(collectionTexts(shape.seed)) : undefined
          const settings = { kernel, statistics, preselect, contextSize: preselect > 0 ? 9 : 50 }
          const asked = { vector: query.vector, text: query.text }
          const found = {
            vectors: candidates.map(({ vector }) => vector),
            texts: candidates.map(givenText),
          }
          const index = which % candidates.length
          const told = explain(asked, found, index, settings)
          const { order, scores } = rerank(asked, found, settings)
          expect(order[told.rankAfter - 1]).toBe(index)
          expect(told.score).toBe(scores[told.rankAfter - 1])
          const parts = Object.values(told.parts)
          if (!told.inContext) {
            expect(new Set(parts)).toEqual(new Set([0]))
            expect([told.matched, told.shared, told.supporters]).toEqual([[], [], []])
            expect(told.window).toBeUndefined()
            return
          }
          expect(Math.abs(parts.reduce((a, b) => a + b) - told.score)).toBeLessThan(1e-5)
          const sum = told.matched.reduce((whole, { weight }) => whole + weight, 0)
          expect(Math.abs(sum - told.words)).toBeLessThan(1e-9)
          const common = new Set(stemsOf(wholeOf(candidates[index]!)))
          const expected = new Set(stemsOf(query.text).filter((term) => common.has(term)))
          expect(new Set(told.matched.map(({ term }) => term))).toEqual(expected)
          const weights = told.matched.map(({ weight }) => weight)
          expect(weights).toEqual(weights.toSorted((a, b) => b - a))
          const size = Math.min(candidates.length, settings.contextSize)
          const others = told.supporters.map(({ candidate }) => candidate)
          expect(others).not.toContain(index)
          expect(new Set(others).size).toBe(others.length)
          expect([Math.min(SUPPORT, size), Math.min(SUPPORT, size) - 1]).toContain(others.length)
        },
      ),
      tries(25),
    )
  })

  test('returns the BM25 score of docs/method.md as the part words', () => {
    const { query, candidates } = wordsCase({ count: 12, seed: 2 })
    const texts = candidates.map(({ text }) => text)
    const vectors = candidates.map(({ vector }) => vector)
    const expected = wordsScoresOf(query.text, texts, { k1: 0.9, b: 0.4 })
    texts.forEach((_, i) => {
      const { words } = explain({ vector: query.vector, text: query.text }, { vectors, texts }, i, {
        kernel,
      })
      expect(words).toBeCloseTo(expected[i]!, 9)
    })
  })
})

test('names the terms of a raw query, but not of a prepared query', () => {
  const candidates = {
    vectors: [
      [1, 0],
      [0, 1],
    ],
    texts: ['layers of flow', 'wings'],
  }
  const text = prepareText('flow layer')
  const { matched } = explain({ vector: [1, 1], text }, candidates, 0)
  expect(matched.map(({ term }) => term)).toEqual([undefined, undefined])
  const tokenizer = (own: string) => own.split(' ')
  const told = explain({ vector: [1, 1], text: 'layers wing' }, candidates, 0, { tokenizer })
  expect(told.matched.map(({ term }) => term)).toEqual(['layers'])
})

test('returns the best window as a part of the title, of the text, or of both', () => {
  const vectors = [
    [1, 0],
    [0, 1],
    [1, 1],
    [1, 2],
  ]
  const long = 'wings of stable layers with the heated flow, and pressure. '
  const texts = [
    { title: 'Of supersonic flow', text: 'Flow heated at the boundary layer.' },
    `${'shock pressure mach '.repeat(8)}The heated wings of supersonic flow.`,
    { text: long.repeat(3) },
    prepareText('supersonic wings'),
  ]
  const query = { vector: [1, 1], text: 'the wing in supersonic heated flows' }
  const spans = texts.map((text, index) => {
    const { window } = explain(query, { vectors, texts }, index)
    if (typeof text === 'string') return [window?.title, cut(text, window?.text)]
    return 'postings' in text
      ? window
      : [cut(text.title ?? '', window?.title), cut(text.text, window?.text)]
  })
  expect(spans).toEqual([
    ['supersonic flow', 'Flow heated'],
    [undefined, 'heated wings of supersonic flow'],
    [undefined, 'wings of stable layers with the heated flow'],
    undefined,
  ])
  const tokenizer = (text: string) => text.split(' ')
  const { window } = explain(query, { vectors: [[1, 2]], texts: ['wing'] }, 0, { tokenizer })
  expect(window).toBeUndefined()
})

function cut(text: string, span: TextSpan | undefined): string | undefined {
  return span && text.slice(span.start, span.end)
}

test('returns the candidates with the highest g as supporters, the most similar first', () => {
  const { query, candidates } = wordsCase({ count: 20, seed: 8 })
  const asked = { vector: query.vector, text: query.text }
  const found = {
    vectors: candidates.map(({ vector }) => vector),
    texts: candidates.map(({ text }) => text),
  }
  const own = { neighborWeight: 0, supportWeight: 0, windowWeight: 0, titleWeight: 0 }
  const byRelevance = rerank(asked, found, own)
  const best = [...byRelevance.order.subarray(0, SUPPORT)]
  const { supporters } = explain(asked, found, byRelevance.order[19]!, {})
  expect(supporters.map(({ candidate }) => candidate).sort((a, b) => a - b)).toEqual(
    best.sort((a, b) => a - b),
  )
  const near = supporters.map(({ similarity }) => similarity)
  expect(near).toEqual(near.toSorted((a, b) => b - a))
})
