import { hashedWords, normal } from '@kith/base/random'
import { expect, test } from 'vitest'
import { judge, pairedTest } from '../src/verdict.ts'

/** Values around a mean that differ from query to query. */
function values(queries: number, mean: number, seed: number, noise = 0.05): Float64Array {
  const words = hashedWords(seed)
  return Float64Array.from({ length: queries }, () => mean + noise * normal(words))
}

test('computes the paired t-test, with an interval that ends at 0 if p is 0.05', () => {
  const before = Float64Array.of(0.1, 0.4, 0.3, 0.8, 0.5)
  const after = Float64Array.of(0.2, 0.4, 0.5, 0.9, 0.4)
  const { gain, ci, t, p } = pairedTest(before, after)
  expect(gain).toBeCloseTo(0.06, 10)
  // By hand: deviation of (0.1, 0, 0.2, 0.1, −0.1) is 0.11402, over √5 0.05099.
  expect(t).toBeCloseTo(1.1767, 4)
  expect(p).toBeCloseTo(0.3046, 3)
  expect(ci[0]).toBeCloseTo(0.06 - 2.7764 * 0.05099, 4)
  expect(ci[1]).toBeCloseTo(0.06 + 2.7764 * 0.05099, 4)
  const shifted = before.map((value, i) => value + (after[i]! - value) - ci[0])
  expect(pairedTest(before, shifted).p).toBeCloseTo(0.05, 6)
})

test('gives t = 0 without a difference, and a finite t for equal differences', () => {
  const same = Float64Array.of(0.1, 0.2, 0.3)
  expect(pairedTest(same, same)).toEqual({ gain: 0, ci: [0, 0], t: 0, p: 1 })
  const { t } = pairedTest(Float64Array.of(0, 0, 0), Float64Array.of(0.5, 0.5, 0.5))
  expect(JSON.parse(JSON.stringify(t))).toBe(1e6)
})

test('keeps the default with few queries, unless it makes the ranking worse', () => {
  const baseline = values(40, 0.5, 1)
  const better = judge({ baseline, default: values(40, 0.52, 2) })
  expect(better.verdict).toBe('default')
  // A loss that may well be chance: t above −1.
  const slight = baseline.map((value, i) => value - 0.002 + (i % 2 ? 0.05 : -0.05))
  const { verdict, heldOut } = judge({ baseline, default: slight })
  expect(heldOut.gain).toBeLessThan(0)
  expect(verdict).toBe('default')
  const harmful = judge({ baseline, default: baseline.map((value, i) => value - (i % 5) * 0.02) })
  expect(harmful.heldOut.t).toBeLessThan(-1)
  expect(harmful).toMatchObject({ verdict: 'keep-run', candidate: 'default' })
  expect(harmful.reason).toContain('make the ranking worse')
  expect(harmful.heldOut.tuned).toBeUndefined()
})

test('replaces the default with many queries only if t is above 2', () => {
  const baseline = values(200, 0.4, 1)
  const standard = values(200, 0.43, 2)
  const clearly = standard.map((value, i) => value + 0.02 + (i % 2 ? 0.05 : -0.05))
  const found = judge({ baseline, default: standard, tuned: clearly })
  expect(found.verdict).toBe('tuned')
  expect(found.heldOut.overDefault!.t).toBeGreaterThan(2)
  expect(found.heldOut.gain).toBeCloseTo(found.heldOut.tuned! - found.heldOut.baseline, 10)
  const hardly = standard.map((value, i) => value + 0.005 + (i % 2 ? 0.05 : -0.05))
  const kept = judge({ baseline, default: standard, tuned: hardly })
  expect(kept.heldOut.overDefault!.gain).toBeGreaterThan(0)
  expect(kept.verdict).toBe('default')
  expect(kept.heldOut.gain).toBeCloseTo(kept.heldOut.default - kept.heldOut.baseline, 10)
})

test('keeps the baseline ranking with many queries if held-out queries do not gain', () => {
  const baseline = values(200, 0.5, 1)
  const standard = baseline.map((value, i) => value - 0.001 + (i % 2 ? 0.05 : -0.05))
  expect(judge({ baseline, default: standard, tuned: standard }).verdict).toBe('keep-run')
  // Better than the default with certainty, and yet worse than leaving it.
  const tuned = standard.map((value) => value - 0.02)
  const worse = tuned.map((value, i) => value - 0.03 - (i % 3) * 0.01)
  const judgment = judge({ baseline, default: worse, tuned })
  expect(judgment).toMatchObject({ verdict: 'keep-run', candidate: 'tuned' })
  expect(judgment.reason).toContain('no gain')
})
