import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readNumberArray } from '../src/serve/number-array.ts'
import { readJson } from '../src/serve/read-json.ts'

/** What a value is once the names in it are arrays again. */
function restored(text: string): unknown {
  const { value, arrays } = readJson(Buffer.from(text))
  const restore = (part: unknown): unknown => {
    if (typeof part === 'string') return arrays.has(part) ? [...arrays.get(part)!] : part
    if (Array.isArray(part)) return part.map(restore)
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, restore(inner)]))
  }
  return restore(value)
}

const read = (text: string): Float32Array | undefined =>
  readNumberArray(Buffer.from(text), 1)?.numbers

describe('arrays of numbers', () => {
  test('float32 numbers come out bit for bit, in every notation', () => {
    const float = fc.float({ noNaN: true, noDefaultInfinity: true })
    fc.assert(
      fc.property(fc.array(float, { minLength: 1 }), (given) => {
        // JSON.stringify writes -0 as 0.
        const numbers = given.map((number) => number + 0)
        const expected = Float32Array.from(numbers)
        expect(read(JSON.stringify(numbers))).toEqual(expected)
        const scientific = numbers.map((number) => number.toExponential(16).toUpperCase())
        expect(read(`[ ${scientific.join(' ,\n')}\t]`)).toEqual(expected)
      }),
      { numRuns: 300 },
    )
  })

  test('other numbers are at most one step of float32 from the nearest', () => {
    const bits = (number: number): number => {
      const view = new Int32Array(Float32Array.of(Math.abs(number)).buffer)
      return view[0]! * Math.sign(number)
    }
    const double = fc.double({ noNaN: true, min: -3e38, max: 3e38 })
    fc.assert(
      fc.property(double, (number) => {
        const found = read(`[${number}]`)![0]!
        expect(Math.abs(bits(found) - bits(Math.fround(number)))).toBeLessThanOrEqual(1)
      }),
      { numRuns: 1000 },
    )
  })

  test.each([
    ['1e400', Infinity],
    ['-1e400', -Infinity],
    ['1e-400', 0],
    ['123456789012345678901234567890', 1.2345678901234568e29],
    ['0.000000000000000000000000000001', 1e-30],
    ['100000000000000000000000', 1e23],
    ['-0', -0],
    ['0.0', 0],
    ['16777217', 16777216],
    ['1e+2', 100],
  ])('%s', (text, expected) => {
    expect(read(`[${text}]`)).toEqual(Float32Array.of(expected))
  })

  test.each([
    '01',
    '1.',
    '.5',
    '+1',
    '1e',
    '1e+',
    '-',
    '',
    '1 2',
    '1,',
    ',1',
    '"1"',
    '[1]',
    'NaN',
    '0x1',
    '1',
  ])('leaves %s to the language', (text) => {
    expect(read(text === '1' ? '[1' : `[${text}]`)).toBeUndefined()
  })
})

describe('JSON with such arrays', () => {
  test('means what JSON.parse says', () => {
    const json = fc.json({ maxDepth: 4 })
    const numbers = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 0, maxLength: 20 })
    fc.assert(
      fc.property(json, numbers, fc.string(), (inner, list, text) => {
        const value = { inner: JSON.parse(inner), list, text, nested: [[list], list, { list }] }
        const plain = JSON.stringify(value)
        expect(JSON.stringify(restored(plain))).toBe(rounded(plain))
        const spaced = JSON.stringify(value, null, '\t')
        expect(JSON.stringify(restored(spaced))).toBe(rounded(plain))
      }),
      { numRuns: 300 },
    )
  })

  test('texts with brackets, quotes and backslashes stay texts', () => {
    const list = '[1,2,3,4,5,6,7,8,9,10]'
    for (const text of [list, `"${list}`, `\\"${list}`, `\\${list}\\`, `\\\\"${list}"`, `"`]) {
      expect(restored(JSON.stringify({ text, list: 1 }))).toEqual({ text, list: 1 })
    }
  })

  test.each([
    '',
    '{',
    '[1,2',
    '{"a":}',
    '"',
    '"\\',
    '[1,2,3,4,5,6,7,8,]',
    '{"a":[1,2,3,4,5,6,7,8}',
    'nul',
  ])('refuses %j', (text) => {
    expect(() => readJson(Buffer.from(text))).toThrow('the body is not JSON')
  })

  test('no text of a client stands for an array', () => {
    const { value, arrays } = readJson(Buffer.from('{"a":[1,2,3,4,5,6,7,8],"b":"0"}'))
    const { a } = value as { a: string }
    expect(a.length).toBeGreaterThan(32)
    expect(arrays.get(a)).toEqual(Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8))
  })
})

/** JSON whose longer arrays of numbers are float32, as they are read. */
function rounded(json: string): string {
  return JSON.stringify(JSON.parse(json), (_, value) =>
    Array.isArray(value) && value.length >= 8 && value.every((part) => typeof part === 'number')
      ? value.map(Math.fround)
      : value,
  )
}
