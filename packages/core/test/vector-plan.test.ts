import { expect, test } from 'vitest'
import {
  background,
  rerank,
  resolveMethodSettings,
  Selection,
  termStatistics,
} from '../src/index.ts'
import { higherIsBetter, methodLooksAt, planVectors } from '../src/internal.ts'

const count = 230
const texts = Array.from({ length: count }, (_, i) => `bees visit flower ${i}`)
const scores = texts.map((_, i) => 1 - i / 500)
const vectors = texts.map((_, i) => [scores[i]!, Math.sin(i), Math.cos(3 * i)])
const text = 'flower 120 or flower 60'
const vector = [1, 0, 0]
const statistics = termStatistics([...texts, 'honey'])

test('chooses the context by words and scores, and ranks as a selection does', () => {
  const plan = planVectors(text, { count, texts, scores }, { statistics })
  const first = { texts: texts.slice(0, 200), scores: scores.slice(0, 200) }
  const selection = new Selection({ text }, first, { statistics })
  expect(plan.chosen).toEqual([...selection.chosen])
  expect(plan.chosen).toContain(120)
  const chosen = plan.chosen.map((index) => vectors[index]!)
  const { order, scores: better } = plan.rerank(vector, chosen)
  const inner = selection.rerank(vector, chosen)
  expect([...order.subarray(0, 200)]).toEqual([...inner.order])
  expect([...better.subarray(0, 200)]).toEqual([...inner.scores])
  expect([...order.subarray(200)]).toEqual(Array.from({ length: 30 }, (_, i) => 200 + i))
})

test.each([
  ['without scores', { count, texts }, { statistics }, 200],
  [
    'with unknown scores',
    { count, texts, scores: texts.map(() => undefined) },
    { statistics },
    200,
  ],
  ['without statistics', { count, texts, scores }, {}, 50],
  ['without texts', { count, scores }, { statistics }, 50],
  [
    'fusion, which knows no selection',
    { count, texts, scores },
    { statistics, method: 'fusion' },
    200,
  ],
  ['a method without words', { count, texts, scores }, { statistics, method: 'rocchio' }, 50],
  ['few candidates', { count: 20, texts: texts.slice(0, 20) }, { statistics }, 20],
] as const)(
  '%s: needs the vectors of the first candidates, and ranks as rerank does',
  (_, given, settings, needed) => {
    const plan = planVectors(text, given, settings)
    expect(plan.chosen).toEqual(Array.from({ length: needed }, (_, i) => i))
    const ranking = plan.rerank(vector, vectors.slice(0, needed))
    const all = {
      vectors: vectors.slice(0, given.count),
      texts: 'texts' in given ? given.texts : undefined,
    }
    const expected = rerank({ vector, text }, all, resolveMethodSettings(settings))
    expect([...ranking.order]).toEqual([...expected.order])
  },
)

test('methodLooksAt returns how many candidates a method considers', () => {
  const looked = (method: 'neighbors' | 'fusion' | 'neighbor-rrf', texts: boolean) =>
    methodLooksAt(resolveMethodSettings({ method, statistics }), texts)
  expect([looked('neighbors', true), looked('fusion', true), looked('neighbor-rrf', true)]).toEqual(
    [200, 200, 50],
  )
  expect(looked('neighbors', false)).toBe(50)
})

test('higherIsBetter negates scores that rise from the best candidate on', () => {
  expect(higherIsBetter([0.1, undefined, 0.1, 0.4])).toEqual([-0.1, undefined, -0.1, -0.4])
  for (const scores of [[3, 2, 2], [1, 3, 2], [2, 2], [5], [], [undefined]]) {
    expect(higherIsBetter(scores)).toBe(scores)
  }
})

test('lists all candidates, also beyond the first 200, unless an option removes hits', () => {
  const plan = planVectors(text, { count, texts, scores }, { statistics })
  const chosen = plan.chosen.map((index) => vectors[index]!)
  const plain = plan.list(vector, chosen)
  const { order, scores: better } = plan.rerank(vector, chosen)
  expect(plain.hits.map(({ index }) => index)).toEqual([...order])
  expect(plain.hits.map(({ score }) => score)).toEqual([...better])
  for (const { index, similarity } of plain.hits) {
    expect(similarity !== undefined).toBe(plan.chosen.includes(index))
  }
  const options = { background: background(vectors) }
  const estimated = plan.list(vector, chosen, options)
  expect(estimated.hits).toHaveLength(count)
  expect(estimated.hits.slice(200).map(({ index }) => index)).toEqual([...order.subarray(200)])
  expect(estimated.hits[0]!.relevance).toBeGreaterThan(0)
  expect(plan.list(vector, chosen, { ...options, cutoff: 3 }).hits).toHaveLength(3)
})
