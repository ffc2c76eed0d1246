import { rerank, resolveMethodSettings } from '@kith/core'
import { evaluate, type Qrels, RunBuilder } from '@kith/ir'
import { textAt } from '@kith/ir/internal'
import { expect, test } from 'vitest'
import type { TrialCollection } from '../src/evaluate/collection.ts'
import { createEvaluator } from '../src/evaluate/evaluator.ts'
import { randomCollection } from './support.ts'

const trials = [
  { contextSize: 20 },
  { contextSize: 7, k: 3, rowScaling: 'mean' as const },
  { contextSize: 20, k: 5, kExp: 2, trust: 0.4, weight: 'exp' as const, lambda: 0.3 },
  { contextSize: 7, k: 6, lambda: 0.5 },
].map((some) => resolveMethodSettings(some))

/** What `rerank` and @kith/ir make of the same, for one query and settings after the other. */
function expected(
  { list, queries, docs, dimensions, texts }: TrialCollection,
  settings: (typeof trials)[number],
): Float64Array {
  const row = (all: Float32Array, i: number) => all.slice(i * dimensions, (i + 1) * dimensions)
  const run = new RunBuilder()
  const qrels = new Map<string, Map<string, number>>()
  list.forEach(({ id, docs: own, places, grades }, q) => {
    const vector = row(queries, q)
    const first = [...own].slice(0, settings.contextSize)
    const vectors = first.map((doc) => row(docs, doc))
    const words = texts?.[0]
    const { order } = words
      ? rerank(
          { vector, text: textAt(words.queries, q) },
          { vectors, texts: first.map((doc) => textAt(words.docs, doc)) },
          settings,
        )
      : rerank(vector, vectors, settings)
    const ranked = [...order].map((candidate) => places[candidate]!)
    const rest = [...grades.keys()].filter((place) => !ranked.includes(place))
    const ids = [...ranked, ...rest].map((place) => `d${place}`)
    run.add({ query: id, ids, scores: ids.map((_, i) => -i) })
    const judged = [...grades.entries()].filter(([, grade]) => grade >= 0)
    qrels.set(id, new Map(judged.map(([place, grade]) => [`d${place}`, grade])))
  })
  const { queries: names, perQuery } = evaluate(qrels as Qrels, run.finish(), ['nDCG@10'])
  return Float64Array.from(list, ({ id }) => perQuery['nDCG@10']![names.indexOf(id)]!)
}

test.each([false, true])('returns the values of rerank and @kith/ir, texts: %s', async (texts) => {
  const collection = randomCollection(3, { queries: 9, texts })
  const evaluator = createEvaluator(collection, { measure: 'nDCG@10', workers: 0 })
  const values = await evaluator.evaluate(trials)
  trials.forEach((settings, i) => {
    expect(values[i]).toEqual(expected(collection, settings))
  })
})

test('ranks candidates that cannot be reranked behind the others', async () => {
  const whole = randomCollection(5, { queries: 6 })
  // Without the second and the ninth candidate; all 20 places are still in the run.
  const list = whole.list.map((query) => ({
    ...query,
    docs: query.docs.filter((_, i) => i !== 1 && i !== 8),
    places: query.places.filter((_, i) => i !== 1 && i !== 8),
  }))
  const collection = { ...whole, list }
  const evaluator = createEvaluator(collection, { measure: 'nDCG@10', workers: 0 })
  const values = await evaluator.evaluate(trials)
  trials.forEach((settings, i) => {
    expect(values[i]).toEqual(expected(collection, settings))
  })
})

test('returns the baseline for λ = 1 if the similarities rank as the run does', async () => {
  const collection = randomCollection(4, { queries: 8 })
  const { list, queries, docs, dimensions } = collection
  for (const query of list) {
    const dot = (doc: number) => {
      let sum = 0
      for (let j = 0; j < dimensions; j++) {
        sum += queries[query.row * dimensions + j]! * docs[doc * dimensions + j]!
      }
      return sum
    }
    query.docs.sort((a, b) => dot(b) - dot(a))
  }
  const evaluator = createEvaluator(collection, { measure: 'AP', workers: 0 })
  const [values] = await evaluator.evaluate([resolveMethodSettings({ lambda: 1 })])
  expect(values).toEqual(evaluator.baseline)
})

test('returns the same values for any number of workers and any memory budget, again and again', async () => {
  const collection = randomCollection(7, { queries: 11, texts: true })
  const alone = createEvaluator(collection, { measure: 'RR@5', workers: 0 })
  const first = await alone.evaluate(trials)
  expect(await alone.evaluate([...trials].reverse())).toEqual([...first].reverse())
  for (const [workers, memory] of [
    [0, 0],
    [0, 20_000],
    [1, 2 ** 30],
    [3, 20_000],
  ] as const) {
    const evaluator = createEvaluator(collection, { measure: 'RR@5', workers, memory })
    try {
      expect(await evaluator.evaluate(trials)).toEqual(first)
      expect(await evaluator.evaluate(trials.slice(1))).toEqual(first.slice(1))
    } finally {
      await evaluator.close()
    }
  }
})

test.each([0, 2])(
  'leaves out the values of queries that were not asked for, %i workers',
  async (workers) => {
    const evaluator = createEvaluator(randomCollection(7, { queries: 5 }), {
      measure: 'AP',
      workers,
    })
    try {
      const all = await evaluator.evaluate(trials.slice(0, 2))
      const some = await evaluator.evaluate(trials.slice(0, 2), [new Set([0, 3]), new Set([4])])
      expect(some).toEqual([
        all[0]!.map((value, query) => (query % 3 === 0 ? value : 0)),
        all[1]!.map((value, query) => (query === 4 ? value : 0)),
      ])
    } finally {
      await evaluator.close()
    }
  },
)

test.each([0, 2])('names the query of an error, %i workers', async (workers) => {
  const collection = randomCollection(7, { queries: 5 })
  collection.docs[3 * 20 * collection.dimensions + 2] = Number.NaN
  const evaluator = createEvaluator(collection, { measure: 'nDCG@10', workers })
  try {
    await expect(evaluator.evaluate([resolveMethodSettings()])).rejects.toMatchObject({
      code: 'BAD_VECTOR',
      message: expect.stringContaining('q3'),
    })
  } finally {
    await evaluator.close()
  }
})

test.each([0, 1])('fails after it was closed instead of waiting, %i workers', async (workers) => {
  const evaluator = createEvaluator(randomCollection(1), { measure: 'nDCG@10', workers })
  const waiting = evaluator.evaluate(trials)
  const closing = evaluator.close()
  const stopped = { code: 'CLOSED', message: 'the trials were stopped' }
  await expect(waiting).rejects.toMatchObject(stopped)
  await Promise.all([closing, evaluator.close()])
  await expect(evaluator.evaluate(trials)).rejects.toMatchObject(stopped)
})
