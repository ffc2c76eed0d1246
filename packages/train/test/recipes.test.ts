import { describe, expect, test } from 'vitest'
import { inverseTemperatureFor } from '../src/adapter/inverse-temperature.ts'
import {
  adapterQueries,
  inverseTemperatureOf,
  recipeFor,
  shrinkageOf,
} from '../src/adapter/recipes.ts'
import type { DocumentVectors } from '../src/data/training-query.ts'

const query = {
  id: 'q',
  vector: Float32Array.of(1, 0),
  relevant: [3, 9],
  retrieved: [1, 3, 5],
  taught: { rows: [5, 1], values: [0.75, 0.25] },
}

describe('training recipes', () => {
  test('depend on judgments and teacher', () => {
    const one = { ...query, relevant: [3] }
    const none = { ...query, relevant: [] }
    expect(recipeFor([none], { teacher: true })).toBe('ranking')
    expect(recipeFor([one, one, query], { teacher: true })).toBe('ranking+labels')
    expect(recipeFor([one, one, query], { teacher: false })).toBe('labels')
    expect(recipeFor([query, query], { teacher: true })).toBe('judgments')
  })

  test('set the parts of the loss', () => {
    const parts = (recipe: Parameters<typeof shrinkageOf>[0]) =>
      adapterQueries([query], recipe)[0]!.parts
    expect(parts('ranking')).toEqual([
      { weight: 1, target: query.taught, over: Uint32Array.of(1, 3, 5) },
    ])
    expect(parts('labels')).toEqual([
      { weight: 1, target: { rows: [3, 9], values: [0.5, 0.5] }, over: 'corpus' },
    ])
    expect(parts('ranking+labels').map(({ weight, over }) => [weight, over])).toEqual([
      [0.5, Uint32Array.of(1, 3, 5)],
      [0.5, 'corpus'],
    ])
    expect(parts('judgments')).toEqual([
      { weight: 0.5, target: { rows: [3], values: [1] }, over: Uint32Array.of(1, 3, 5) },
      { weight: 0.5, target: { rows: [3, 9], values: [0.5, 0.5] }, over: 'corpus' },
    ])
  })

  test('give the whole loss to all documents if no judged document is among the first', () => {
    const [far] = adapterQueries([{ ...query, relevant: [8, 9] }], 'judgments')
    expect(far!.parts).toEqual([
      { weight: 1, target: { rows: [8, 9], values: [0.5, 0.5] }, over: 'corpus' },
    ])
  })

  test('use soft labels unchanged, and leave out a query that teaches nothing', () => {
    const labels = { rows: [4, 6, 8], values: [3, 0, 1] }
    const [soft] = adapterQueries([{ ...query, labels }], 'labels')
    expect(soft!.parts[0]!.target).toEqual({ rows: [4, 8], values: [0.75, 0.25] })
    expect(adapterQueries([{ ...query, relevant: [] }], 'labels')).toEqual([])
  })

  test('shrink more if scores are sharper', () => {
    expect([20, 40].map((sharp) => shrinkageOf('labels', sharp))).toEqual([200, 800])
  })
})

test('several judgments per query are learned with T of at most 20', () => {
  expect([10, 20, 40].map((measured) => inverseTemperatureOf('judgments', measured))).toEqual([
    10, 20, 20,
  ])
  expect(inverseTemperatureOf('labels', 40)).toBe(40)
})

describe('inverseTemperatureFor', () => {
  /** Documents on a circle, so that scores of a query have the deviation `size` / √2. */
  const circle = (size: number): DocumentVectors => {
    const at = (row: number) => [Math.cos(row) * size, Math.sin(row) * size]
    const gather = (rows: ArrayLike<number>) => Float32Array.from(Array.from(rows).flatMap(at))
    return { rows: 1000, dimensions: 2, gather, read: () => new Float32Array() }
  }

  test('returns 2 over the standard deviation of scores, rounded, for queries of any length', () => {
    const queries = [1, 2, 3].map((length) => ({ vector: Float32Array.of(length, 0) }))
    expect(inverseTemperatureFor(queries, circle(0.1 * Math.SQRT2))).toBe(20)
    expect(inverseTemperatureFor(queries, circle(0.044 * Math.SQRT2))).toBe(40)
    expect(inverseTemperatureFor(queries, circle(10))).toBe(0.3125)
  })

  test('refuses documents that are all the same', () => {
    const alike = {
      ...circle(1),
      gather: (rows: ArrayLike<number>) => new Float32Array(2 * rows.length).fill(1),
    }
    expect(() => inverseTemperatureFor([query], alike)).toThrow(
      expect.objectContaining({ code: 'BAD_INPUT' }),
    )
  })
})
