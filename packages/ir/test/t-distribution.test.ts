import { expect, test } from 'vitest'
import { tQuantile, tTestP } from '../src/stats/t-distribution.ts'

test('computes quantiles of t as in tables', () => {
  const table: [number, number][] = [
    [1, 12.7062],
    [2, 4.3027],
    [3, 3.1824],
    [10, 2.2281],
    [29, 2.0452],
    [224, 1.9706],
    [9999, 1.9602],
  ]
  for (const [degrees, t] of table) expect(tQuantile(0.95, degrees)).toBeCloseTo(t, 4)
  expect(tQuantile(0.99, 10)).toBeCloseTo(3.1693, 4)
})

test('inverts the p value by the quantile', () => {
  for (const degrees of [1, 2, 3, 4, 7, 30, 101, 5000]) {
    for (const level of [0.01, 0.5, 0.9, 0.95, 0.999]) {
      expect(tTestP(tQuantile(level, degrees), degrees)).toBeCloseTo(1 - level, 10)
    }
  }
})
