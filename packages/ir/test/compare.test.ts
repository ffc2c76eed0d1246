import { describe, expect, test } from 'vitest'
import { compare, type Evaluation } from '../src/index.ts'
import { holm, randomizationP } from '../src/stats/compare.ts'
import { incompleteBeta, tTestP } from '../src/stats/t-distribution.ts'

function evaluationOf(values: Record<string, number>): Evaluation {
  const numbers = Object.values(values)
  return {
    measures: ['m'],
    queries: Object.keys(values),
    mean: { m: numbers.reduce((sum, x) => sum + x, 0) / numbers.length },
    perQuery: { m: Float64Array.from(numbers) },
  }
}

describe('Student’s t', () => {
  // Two-sided critical values from the printed tables.
  test.for([
    [12.706, 1, 0.05],
    [4.303, 2, 0.05],
    [2.228, 10, 0.05],
    [3.169, 10, 0.01],
    [2.042, 30, 0.05],
    [1.984, 100, 0.05],
    [3.373, 120, 0.001],
  ] as const)('t %f with %i degrees of freedom has p %f', ([t, degrees, p]) => {
    expect(Math.abs(tTestP(t, degrees) / p - 1)).toBeLessThan(2e-3)
    expect(tTestP(-t, degrees)).toBe(tTestP(t, degrees))
  })

  test('equals closed forms', () => {
    // With one degree of freedom, t is Cauchy; with two, p = 1 − t / √(2 + t²).
    for (const t of [0.1, 0.7, 1, 3, 50]) {
      expect(tTestP(t, 1)).toBeCloseTo(1 - (2 / Math.PI) * Math.atan(t), 12)
      expect(tTestP(t, 2)).toBeCloseTo(1 - t / Math.sqrt(2 + t * t), 12)
    }
    expect(tTestP(0, 5)).toBe(1)
    expect(tTestP(Infinity, 5)).toBe(0)
    expect(incompleteBeta(0.3, 1, 1)).toBeCloseTo(0.3, 12)
    expect(incompleteBeta(0.3, 2, 3)).toBeCloseTo(0.3483, 12)
  })
})

describe('compare', () => {
  test('counts the queries of a cluster as one', () => {
    const a = evaluationOf({ q1: 0, q2: 0, q3: 0, q4: 0, q5: 0 })
    const b = evaluationOf({ q1: 0.1, q2: 0.3, q3: 0.2, q4: -0.1, q5: 0.2 })
    const clusters = new Map([
      ['q1', 'x'],
      ['q2', 'x'],
      ['q3', 'q4'],
    ])
    const result = compare(a, b, 'm', { clusters })
    expect(result).toMatchObject({ queries: 5, wins: 4, losses: 1 })
    // Sums of the clusters {q1, q2}, {q3}, {q4}, {q5} in tenths: 4, 2, −1, 2; their own means 2.8, 1.4, 1.4, 1.4.
    const squares = (1.2 ** 2 + 0.6 ** 2 + 2.4 ** 2 + 0.6 ** 2) / 100
    expect(result.t).toBeCloseTo(0.14 / (Math.sqrt((squares * 4) / 3) / 5), 12)
    expect(result.tTest).toBeCloseTo(tTestP(result.t, 3), 12)
    const sums = [1, -1].flatMap((x) =>
      [1, -1].flatMap((y) => [1, -1].flatMap((z) => [1, -1].map((w) => 4 * x + 2 * y - z + 2 * w))),
    )
    expect(result.randomization).toBe(sums.filter((sum) => Math.abs(sum) >= 7).length / 16)
    // Each in a cluster of its own is as if there were none.
    const alone = new Map(b.queries.map((query) => [query, query]))
    expect(compare(a, b, 'm', { clusters: alone })).toEqual(compare(a, b, 'm'))
  })

  test('returns differences, wins, ties and losses of the queries in both evaluations', () => {
    const a = evaluationOf({ q1: 0.1, q2: 0.5, q3: 0.3, q4: 0.2, onlyA: 1 })
    const b = evaluationOf({ q4: 0.1, q1: 0.3, q2: 0.5, q3: 0.6, onlyB: 0 })
    const result = compare(a, b, 'm')
    expect(result).toMatchObject({ queries: 4, wins: 2, ties: 1, losses: 1 })
    expect(result.difference).toBeCloseTo(0.1, 12)
    // Differences 0.2, 0, 0.3, -0.1: deviation √(0.1 / 3), t = 0.1 / (deviation / 2).
    expect(result.t).toBeCloseTo(0.1 / (Math.sqrt(0.1 / 3) / 2), 12)
    expect(result.tTest).toBeCloseTo(tTestP(result.t, 3), 12)
    // The tie has no sign to change: eight assignments, in tenths.
    const sums = [1, -1].flatMap((x) =>
      [1, -1].flatMap((y) => [1, -1].map((z) => 2 * x + 3 * y - z)),
    )
    expect(result.randomization).toBe(sums.filter((sum) => Math.abs(sum) >= 4).length / 8)
  })

  test('finds no difference between equal runs', () => {
    const a = evaluationOf({ q1: 0.1, q2: 0.5 })
    const expected = { difference: 0, t: 0, tTest: 1, randomization: 1, ties: 2 }
    expect(compare(a, a, 'm')).toMatchObject(expected)
  })

  test('throws for evaluations that cannot be compared', () => {
    const a = evaluationOf({ q1: 0.1 })
    expect(() => compare(a, evaluationOf({ q2: 1 }), 'm')).toThrow(
      expect.objectContaining({ code: 'BAD_INPUT' }),
    )
    expect(() => compare(a, a, 'x')).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }))
  })
})

describe('Fisher’s randomization test', () => {
  const values = Array.from({ length: 40 }, (_, i) => Math.sin(i * 7.3) + 0.2)

  test('returns the same p for the same seed, and nearly the p of the t-test on regular differences', () => {
    const options = { seed: 3, permutations: 10_000 }
    const p = randomizationP(values, options)
    expect(randomizationP(values, options)).toBe(p)
    expect(randomizationP(values, { ...options, seed: 4 })).not.toBe(p)
    const zero = evaluationOf(Object.fromEntries(values.map((_, i) => [`q${i}`, 0])))
    const b = evaluationOf(Object.fromEntries(values.map((x, i) => [`q${i}`, x])))
    expect(Math.abs(compare(zero, b, 'm').tTest - p)).toBeLessThan(0.02)
  })

  test('agrees between drawn and exact permutations', () => {
    const few = values.slice(0, 12)
    const exact = randomizationP(few, { seed: 0, permutations: 4096 })
    const drawn = randomizationP(few, { seed: 0, permutations: 4095 })
    expect(Math.abs(exact - drawn)).toBeLessThan(0.03)
    expect(exact * 4096).toBe(Math.round(exact * 4096))
  })

  test('never returns 0, and refuses 0 permutations', () => {
    const large = new Array(100).fill(1)
    expect(randomizationP(large, { seed: 0, permutations: 99 })).toBe(0.01)
    expect(() => randomizationP(large, { seed: 0, permutations: 0 })).toThrow(
      expect.objectContaining({ code: 'BAD_SETTING' }),
    )
  })
})

test('corrects p values by Holm’s method', () => {
  expect(holm([0.01, 0.04, 0.03, 0.005])).toEqual([0.03, 0.06, 0.06, 0.02])
  expect(holm([0.5, 0.9])).toEqual([1, 1])
  expect(holm([])).toEqual([])
})
