import fc from 'fast-check'
import { expect, test } from 'vitest'
import { queryProducts } from '../src/compare-vectors.ts'

/** Whole numbers, whose sums are exact, and more vectors than are looked at together. */
const vectors = fc
  .record({ rows: fc.integer({ min: 1, max: 600 }), dimensions: fc.integer({ min: 1, max: 9 }) })
  .chain(({ rows, dimensions }) =>
    fc.array(
      fc
        .array(fc.integer({ min: -99, max: 99 }), { minLength: dimensions, maxLength: dimensions })
        .map((numbers) => Float32Array.from(numbers)),
      { minLength: rows, maxLength: rows },
    ),
  )

const product = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, i) => sum + value * b[i]!, 0)

test('computes products with the first vector and squares for any number of vectors', () => {
  fc.assert(
    fc.property(vectors, (all) => {
      const { toQuery, squares } = queryProducts(all)
      expect(Array.from(toQuery)).toEqual(all.map((vector) => product(all[0]!, vector)))
      expect(Array.from(squares)).toEqual(all.map((vector) => product(vector, vector)))
    }),
    { numRuns: 50 },
  )
})

test('computes a square that is not finite only for the vector that contains the number', () => {
  for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY]) {
    const all = [
      [1, 2],
      [wrong, 1],
      [3, 4],
    ].map((numbers) => Float32Array.from(numbers))
    const { squares } = queryProducts(all)
    expect(Array.from(squares, Number.isFinite)).toEqual([true, false, true])
  }
})

test('returns no products for no vectors', () => {
  expect(queryProducts([])).toEqual({ toQuery: new Float64Array(0), squares: new Float64Array(0) })
})
