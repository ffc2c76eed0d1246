import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tries } from '../../../test/thorough.ts'
import {
  type PartialSettings,
  prepareText,
  rerank,
  Selection,
  termStatistics,
} from '../src/index.ts'
import { allKernels, expectClose } from './support.ts'
import { caseShapes, collectionTexts, type WordsCase, wordsCase } from './words-contexts.ts'

/** The inner products of the candidates with the query, in double precision. */
function scoresOf({ query, candidates }: WordsCase): number[] {
  return candidates.map(({ vector }) =>
    vector.reduce((sum, value, i) => sum + value * query.vector[i]!, 0),
  )
}

function textsOf({ candidates }: WordsCase): string[] {
  return candidates.map(({ text }) => text)
}

describe.each(allKernels)('Selection on %s', (kernel) => {
  test('ranks as rerank does with all vectors if the scores are the similarities', () => {
    fc.assert(
      fc.property(
        caseShapes(70),
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 0, max: 60 }),
        fc.boolean(),
        (shape, contextSize, preselect, known) => {
          const one = wordsCase({ ...shape, kind: 'clustered' })
          const statistics = known ? termStatistics(collectionTexts(shape.seed)) : undefined
          // The scores are inner products.
          const given = { contextSize, preselect, statistics, kernel }
          const settings: PartialSettings = { ...given, metric: 'dot' }
          const texts = textsOf(one)
          const { vector, text } = one.query
          const selection = new Selection({ text }, { texts, scores: scoresOf(one) }, settings)
          const all = one.candidates.map((candidate) => candidate.vector)
          const whole = rerank({ vector, text }, { vectors: all, texts }, settings)
          expect(selection.chosen.length).toBe(Math.min(contextSize, all.length))
          const chosen = Array.from(selection.chosen, (index) => all[index]!)
          const ranking = selection.rerank(vector, chosen)
          expect(ranking.order).toEqual(whole.order)
          expectClose(ranking.scores, whole.scores, 1e-4)
        },
      ),
      tries(20),
    )
  })

  test('chooses the candidates that rerank ranks first without vectors', () => {
    const one = wordsCase({ count: 60, seed: 5 })
    const found = { texts: textsOf(one), scores: scoresOf(one) }
    const { text } = one.query
    const settings = { contextSize: 20, preselect: 50, kernel }
    const { chosen } = new Selection({ text }, found, settings)
    const { order } = rerank({ text }, found, settings)
    expect([...chosen].sort((a, b) => a - b)).toEqual(
      [...order.subarray(0, 20)].sort((a, b) => a - b),
    )
  })

  test('accepts chosen candidates whose vectors are missing, and prepared texts', () => {
    const one = wordsCase({ count: 30, seed: 6 })
    const { vector, text } = one.query
    const texts = textsOf(one)
    const scores = scoresOf(one)
    const vectors = one.candidates.map((candidate, i) => (i % 3 === 0 ? null : candidate.vector))
    const prepared = texts.map((own) => prepareText(own))
    const selection = new Selection(
      { text: prepareText(text) },
      { texts: prepared, scores },
      { kernel },
    )
    expect([...selection.chosen]).toEqual(texts.map((_, i) => i))
    expect(selection.rerank(vector, vectors)).toEqual(
      rerank({ vector, text }, { vectors, texts, scores }, { kernel }),
    )
  })
})

test('ranks several times without side effects', () => {
  const one = wordsCase({ count: 40, seed: 2 })
  const { vector, text } = one.query
  const settings = { contextSize: 10, preselect: 40 }
  const selection = new Selection(
    { text },
    { texts: textsOf(one), scores: scoresOf(one) },
    settings,
  )
  const chosen = Array.from(selection.chosen, (index) => one.candidates[index]!.vector)
  const first = selection.rerank(vector, chosen)
  rerank(vector, [vector])
  expect(selection.rerank(vector, chosen)).toEqual(first)
})

test('refuses candidates without texts, and mixes other than words', () => {
  const texts = ['flow', 'wing']
  expect(() => new Selection([1], { texts })).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT' }),
  )
  expect(() => new Selection({ text: 'flow' }, [[1]] as never)).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT' }),
  )
  expect(() => new Selection({ text: 'flow' }, { texts }, { mix: 'standard' })).toThrow(
    expect.objectContaining({ code: 'BAD_SETTING' }),
  )
  expect(() => new Selection({ text: 'flow' }, { texts }).rerank([1], [[1]])).toThrow(
    expect.objectContaining({ code: 'BAD_SHAPE' }),
  )
})
