import { expect, test } from 'vitest'
import { choice, type Range, range, resolve } from '../src/internal.ts'

test.each<[Range, number[], unknown[], string]>([
  [{ from: 0, to: 1 }, [0, 0.5, 1], [-0.1, 1.1, Number.NaN, '1', null], 'a number from 0 to 1'],
  [{ from: 0, to: 1, above: true }, [1e-9, 1], [0, 2], 'a number above 0, at most 1'],
  [{ from: 0, below: 1 }, [0, 0.999], [1, -1, Infinity], 'a number from 0 to below 1'],
  [{ from: 0, below: 1, above: true }, [0.5], [0, 1], 'a number above 0, below 1'],
  [{ from: 0, above: true }, [1e300], [0, Infinity, Number.NaN], 'a number above 0'],
  [{ from: 1, integer: true }, [1, 2 ** 53 - 1], [0, 1.5, 2 ** 53], 'a whole number from 1'],
  [{ from: 1, to: 3, integer: true }, [1, 3], [0, 4, 2.5], 'a whole number from 1 to 3'],
])('range accepts and refuses numbers by %j', (rule, good, bad, allowed) => {
  const check = range(rule)
  for (const value of good) expect(() => check('x', value)).not.toThrow()
  for (const value of bad) {
    const shown = typeof value === 'string' ? JSON.stringify(value) : String(value)
    expect(() => check('x', value)).toThrow(
      new RegExp(`setting x must be ${allowed}, got ${shown.replace('.', '\\.')}$`),
    )
  }
})

test('resolve adds defaults, checks and copies values, and refuses unknown names', () => {
  const rules = { a: range({ from: 0 }), b: choice('x', 'y'), c: () => {} }
  const given = { a: 3, b: undefined, c: { d: { e: 1 } } }
  const resolved = resolve(given, { a: 1, b: 'x', c: {} }, rules)
  expect(resolved).toEqual({ a: 3, b: 'x', c: { d: { e: 1 } } })
  given.c.d.e = 2
  expect(resolved.c).toEqual({ d: { e: 1 } })
  expect(() => resolve({ b: 'z' }, {}, rules)).toThrow(
    expect.objectContaining({ code: 'BAD_SETTING', message: expect.stringContaining('"z"') }),
  )
  expect(() => resolve({ A: 1 }, {}, rules)).toThrow(
    'unknown setting "A", did you mean a? Known: a, b, c',
  )
})
