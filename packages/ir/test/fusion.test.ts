import { describe, expect, test } from 'vitest'
import { fuseRanks, fuseScores } from '../src/index.ts'
import { runOf } from './support.ts'

const a = runOf({ q: { x: 3, y: 2, z: 1 }, onlyA: { x: 1 } })
const b = runOf({ q: { y: 10, w: 0 }, onlyB: { y: 5 } })

function scoresOf(run: ReturnType<typeof runOf>, query: string) {
  const { ids, scores } = run.get(query)!
  return Object.fromEntries(ids.map((id, i) => [id, scores[i]]))
}

describe('fusing runs', () => {
  test('fuses by reciprocal ranks', () => {
    const fused = fuseRanks([a, b])
    expect(fused.get('q')!.ids).toEqual(['y', 'x', 'w', 'z'])
    const { y, x, w } = scoresOf(fused, 'q')
    expect(y).toBeCloseTo(1 / 62 + 1 / 61, 12)
    expect(x).toBeCloseTo(1 / 61, 12)
    expect(w).toBeCloseTo(1 / 62, 12)
    expect([...fused.queries].sort()).toEqual(['onlyA', 'onlyB', 'q'])
    expect(scoresOf(fuseRanks([a, b], { k: 0, weights: [1, 2] }), 'q')['y']).toBeCloseTo(2.5, 12)
  })

  test('fuses by min-max scores', () => {
    const fused = fuseScores([a, b], { weights: [1, 0.5] })
    expect(scoresOf(fused, 'q')).toEqual({ x: 1, y: 0.5 + 0.5, z: 0, w: 0 })
    expect(scoresOf(fused, 'onlyA')).toEqual({ x: 1 })
  })

  test('fuses by z scores, with a missing document in the last place', () => {
    const { x, y, z, w } = scoresOf(fuseScores([a, b], { normalization: 'z' }), 'q') as Record<
      string,
      number
    >
    const deviation = Math.sqrt(2 / 3)
    expect(x).toBeCloseTo(1 / deviation - 1, 12)
    expect(y).toBeCloseTo(0 + 1, 12)
    expect(z).toBeCloseTo(-1 / deviation - 1, 12)
    expect(w).toBeCloseTo(-1 / deviation - 1, 12)
  })

  test('refuses runs that cannot be fused', () => {
    expect(() => fuseRanks([])).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }))
    expect(() => fuseRanks([a], { weights: [1, 2] })).toThrow(
      expect.objectContaining({ code: 'BAD_SHAPE' }),
    )
    expect(() => fuseScores([a], { weights: [Number.NaN] })).toThrow(
      expect.objectContaining({ code: 'BAD_SETTING', message: expect.stringContaining('NaN') }),
    )
    expect(() => fuseScores([a], { normalization: 'max' as never })).toThrow(
      expect.objectContaining({ code: 'BAD_SETTING' }),
    )
  })
})
