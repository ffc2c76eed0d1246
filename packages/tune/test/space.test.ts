import { hashedWords } from '@kith/base/random'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  checkSpace,
  type Dimension,
  draw,
  fill,
  fromUnit,
  type IntegerDimension,
  type Space,
  toUnit,
} from '../src/search/space.ts'

const numeric = fc.oneof(
  fc.record({
    kind: fc.constant('float' as const),
    from: fc.double({ min: 1e-3, max: 1, noNaN: true }),
    to: fc.double({ min: 1.1, max: 100, noNaN: true }),
    log: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('integer' as const),
    from: fc.integer({ min: 10, max: 20 }),
    to: fc.integer({ min: 20, max: 300 }),
    step: fc.integer({ min: 1, max: 15 }),
    log: fc.boolean(),
  }),
)

test('keeps numbers within their dimension and on its steps, and restores them from their place', () => {
  fc.assert(
    fc.property(numeric, fc.double({ min: 0, max: 1, noNaN: true }), (dimension, place) => {
      const value = fromUnit(dimension, place)
      expect(value).toBeGreaterThanOrEqual(dimension.from)
      expect(value).toBeLessThanOrEqual(dimension.to)
      if (dimension.kind === 'integer') {
        expect((value - dimension.from) % dimension.step).toBe(0)
        expect(fromUnit(dimension, toUnit(dimension, value))).toBe(value)
      } else {
        expect(Math.abs(toUnit(dimension, value) - place)).toBeLessThan(0.01)
      }
    }),
  )
})

test('draws every whole number, the first and last as often as others', () => {
  const dimension: IntegerDimension = { kind: 'integer', from: 10, to: 54, step: 10 }
  const words = hashedWords(1)
  const counts = new Map<unknown, number>()
  for (let i = 0; i < 5000; i++) {
    const value = draw(dimension, words)
    counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  expect([...counts.keys()].sort()).toEqual([10, 20, 30, 40, 50])
  for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(120)
})

test('draws each power of ten of a logarithmic dimension as often', () => {
  const words = hashedWords(2)
  const dimension: Dimension = { kind: 'float', from: 1e-3, to: 1, log: true }
  const small = Array.from({ length: 3000 }, () => draw(dimension, words) as number)
  expect(Math.abs(small.filter((value) => value < 1e-2).length - 1000)).toBeLessThan(120)
})

test('contains a conditional dimension exactly if its condition holds', () => {
  const space: Space = {
    kind: { kind: 'choice', values: ['a', 'b'] },
    depth: { kind: 'integer', from: 1, to: 9, when: { dimension: 'kind', is: 'b' } },
    // Where depth takes no part, neither does what depends on it.
    deep: { kind: 'choice', values: [true], when: { dimension: 'depth', is: 3 } },
  }
  const words = hashedWords(3)
  for (let i = 0; i < 300; i++) {
    const point = fill(space, (_, dimension) => draw(dimension, words))
    expect('depth' in point).toBe(point['kind'] === 'b')
    expect('deep' in point).toBe(point['depth'] === 3)
  }
})

test.each<[string, Space]>([
  ['depends on b', { a: { kind: 'choice', values: [1], when: { dimension: 'b', is: 1 } } }],
  ['has no values', { a: { kind: 'choice', values: [] } }],
  ['must have from below to, got 2 to 1', { a: { kind: 'float', from: 2, to: 1 } }],
  ['must have from below to, got 1 to NaN', { a: { kind: 'float', from: 1, to: Number.NaN } }],
  ['must start above 0', { a: { kind: 'float', from: 0, to: 1, log: true } }],
  ['whole numbers', { a: { kind: 'integer', from: 0.5, to: 1 } }],
  ['a step of at least 1', { a: { kind: 'integer', from: 1, to: 2, step: 0 } }],
])('refuses a space with the reason: %s', (problem, space) => {
  expect(() => checkSpace(space)).toThrow(problem)
})
