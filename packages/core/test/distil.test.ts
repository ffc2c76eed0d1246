import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { distilTarget, resolveDistilSettings } from '../src/labels/distil.ts'

/** The formula of docs/method.md section 6, term by term. */
function plainTarget(scores: readonly number[], depth: number, sharpness: number): number[] {
  const first = scores.slice(0, depth)
  const mean = first.reduce((a, b) => a + b, 0) / first.length
  const variance = first.reduce((sum, s) => sum + (s - mean) ** 2, 0) / first.length
  const powers = first.map((s) => Math.exp((sharpness * (s - mean)) / Math.sqrt(variance)))
  const total = powers.reduce((a, b) => a + b, 0)
  return powers.map((power) => power / total)
}

const falling = fc
  .array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1, maxLength: 120 })
  .map((values) => values.map((value) => value / 16).sort((a, b) => b - a))

describe('distilTarget', () => {
  test('is the softmax of standardized scores', () => {
    // z is ±1 for two scores.
    const [high, low] = distilTarget([5, 3])
    expect(high! / low!).toBeCloseTo(Math.exp(2), 9)
    const sharp = distilTarget([5, 3], { sharpness: 3 })
    expect(sharp[0]! / sharp[1]!).toBeCloseTo(Math.exp(6), 6)
    expect(distilTarget([9, 8, 7, 6], { depth: 2 })).toHaveLength(2)
    expect([...distilTarget([2, 2, 2, 2])]).toEqual([0.25, 0.25, 0.25, 0.25])
    expect([...distilTarget([7])]).toEqual([1])
    expect([...distilTarget([])]).toEqual([])
  })

  test('agrees with the plain formula for scores of any scale', () => {
    fc.assert(
      fc.property(
        falling,
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: -3, max: 3 }),
        (scores, depth, twice, exponent) => {
          const sharpness = twice / 2
          const target = distilTarget(scores, { depth, sharpness })
          expect(target.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 9)
          for (let i = 1; i < target.length; i++)
            expect(target[i]).toBeLessThanOrEqual(target[i - 1]!)
          const scaled = scores.map((score) => score * 2 ** exponent + 8)
          expectClose(distilTarget(scaled, { depth, sharpness }), target)
          if (scores[0] === scores[Math.min(depth, scores.length) - 1]) return
          expectClose(target, plainTarget(scores, depth, sharpness))
        },
      ),
    )
  })

  test('refuses inputs that are not rankings', () => {
    expect(() => distilTarget([1, 2])).toThrow(
      expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining('score 1') }),
    )
    expect(() => distilTarget([1, Number.NaN])).toThrow(
      expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining('NaN') }),
    )
    expect(() => distilTarget([1], { depth: 0 })).toThrow(
      expect.objectContaining({ code: 'BAD_SETTING' }),
    )
    expect(() => distilTarget([1], { sharpness: 0 })).toThrow(
      expect.objectContaining({ code: 'BAD_SETTING' }),
    )
    expect(() => resolveDistilSettings({ deep: 3 } as object)).toThrow(
      expect.objectContaining({ code: 'BAD_SETTING' }),
    )
  })
})

function expectClose(actual: ArrayLike<number>, expected: ArrayLike<number>): void {
  expect(actual).toHaveLength(expected.length)
  for (let i = 0; i < actual.length; i++) {
    expect(Math.abs(actual[i]! - expected[i]!)).toBeLessThan(1e-9)
  }
}
