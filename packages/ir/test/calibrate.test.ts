import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { calibrate, type JudgedHits } from '../src/measures/calibrate.ts'

/** Queries whose hits are relevant with the probability that Platt scaling makes of the estimate. */
function judged(count: number, a: number, b: number, seed = 1): JudgedHits[] {
  let state = seed
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
  return Array.from({ length: count }, () => {
    const relevances = Array.from({ length: 20 }, next).sort((x, y) => y - x)
    const relevant = relevances.map((p) => {
      const logit = a * Math.log(p / (1 - p)) + b
      return next() < 1 / (1 + Math.exp(-logit))
    })
    return { relevances, relevant }
  })
}

describe('calibrate', () => {
  test('finds the scaling that the judgments were drawn with', () => {
    const result = calibrate(judged(400, 1.5, -2))
    expect(result.calibration.a).toBeCloseTo(1.5, 0)
    expect(result.calibration.b).toBeCloseTo(-2, 0)
    expect(result.helps).toBe('yes')
    expect(result.calibrated.calibrationError).toBeLessThan(0.03)
    expect(result.estimated.calibrationError).toBeGreaterThan(0.15)
    expect(result.calibrated.brier).toBeLessThan(result.estimated.brier)
    expect(result.calibrated.f1).toBeGreaterThan(result.estimated.f1)
  })

  test('accepts estimates of exactly 0 and 1', () => {
    const sure = { relevances: [1, 1, 0, 0], relevant: [true, false, false, false] }
    const { calibration, calibrated } = calibrate(Array.from({ length: 20 }, () => sure))
    expect(Number.isFinite(calibration.a) && Number.isFinite(calibration.b)).toBe(true)
    expect(Number.isFinite(calibrated.brier)).toBe(true)
  })

  test('changes good estimates little, and reports too few queries', () => {
    const { calibration } = calibrate(judged(400, 1, 0))
    expect(Math.abs(calibration.a - 1)).toBeLessThan(0.1)
    expect(Math.abs(calibration.b)).toBeLessThan(0.1)
    expect(calibrate(judged(9, 1, -2)).helps).toBe('few')
  })

  test('puts hits into tenths of relevance, each with its share of relevant hits', () => {
    const query = {
      relevances: [0.99, 0.95, 0.32, 0.3, 0.04],
      relevant: [true, false, true, false, false],
    }
    const { estimated, calibrated } = calibrate([query, query])
    expect(estimated.bins).toEqual([
      { from: 0, hits: 2, relevance: 0.04, relevant: 0 },
      { from: 0.3, hits: 4, relevance: expect.closeTo(0.31, 10), relevant: 0.5 },
      { from: 0.9, hits: 4, relevance: expect.closeTo(0.97, 10), relevant: 0.5 },
    ])
    const gaps = ({ bins }: typeof estimated) =>
      bins.reduce((sum, { hits, relevance, relevant }) => {
        return sum + (hits / 10) * Math.abs(relevance - relevant)
      }, 0)
    expect(gaps(estimated)).toBeCloseTo(estimated.calibrationError, 10)
    expect(calibrated.bins.reduce((sum, { hits }) => sum + hits, 0)).toBe(10)
  })

  test('lists the best fixed number of hits last', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), (seed) => {
        const { fixed } = calibrate(judged(12, 1, -1, seed))
        const best = fixed.at(-1)!
        expect(Math.max(...fixed.map(({ f1 }) => f1))).toBe(best.f1)
        expect(fixed.map(({ hits }) => hits).slice(0, 3)).toEqual([3, 5, 10])
      }),
      { numRuns: 20 },
    )
  })

  test('refuses lists that do not match', () => {
    expect(() => calibrate([])).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }))
    expect(() => calibrate([{ relevances: [0.5], relevant: [] }])).toThrow('query 0')
  })
})
