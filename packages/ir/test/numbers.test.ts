import { halfTable, toHalf } from '@kith/base/half'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tries } from '../../../test/thorough.ts'
import { parseNumber } from '../src/io/parse-number.ts'

function parse(text: string): number {
  const bytes = Buffer.from(text)
  return parseNumber(bytes, 0, bytes.length)
}

describe('parseNumber', () => {
  test('equals Number to the last bit', () => {
    const digits = fc.string({
      unit: fc.constantFrom(...'0123456789'),
      minLength: 1,
      maxLength: 25,
    })
    const sign = fc.constantFrom('', '-')
    fc.assert(
      fc.property(sign, digits, digits, (s, whole, fraction) => {
        expect(parse(`${s}${whole}.${fraction}`)).toBe(Number(`${s}${whole}.${fraction}`))
        expect(parse(`${s}${whole}`)).toBe(Number(`${s}${whole}`))
      }),
      tries(400),
    )
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(parse(String(value))).toBe(Number(String(value)))
      }),
      tries(400),
    )
  })

  test('rounds the middle between two doubles as Number does', () => {
    for (const text of ['9007199254740993', '9007199254740993.0000001', '4503599627370496.5']) {
      expect(parse(text)).toBe(Number(text))
    }
  })

  test.for(['', '-', '.', '1.2.3', 'abc', '0x10', '1e', 'nan', 'inf', 'Infinity', '1_0', ' 1'])(
    'refuses %j',
    (text) => {
      expect(parse(text)).toBeNaN()
    },
  )
})

describe('half precision', () => {
  const table = halfTable()

  test('converts every half to a float and back', () => {
    for (let bits = 0; bits < 1 << 16; bits++) {
      if (Number.isNaN(table[bits]!)) expect(toHalf(table[bits]!) & 0x7fff).toBeGreaterThan(0x7c00)
      else if (toHalf(table[bits]!) !== bits) expect.fail(`${bits} became ${toHalf(table[bits]!)}`)
    }
    expect([table[0x3c00], table[0x0001], table[0x7bff], table[0xc000]]).toEqual([
      1,
      2 ** -24,
      65504,
      -2,
    ])
  })

  test('rounds to the nearest half, and ties to even', () => {
    for (let bits = 0; bits < 0x7bff; bits++) {
      const low = table[bits]!
      const high = table[bits + 1]!
      const middle = (low + high) / 2
      const even = bits % 2 === 0 ? bits : bits + 1
      if (toHalf(middle) !== even) expect.fail(`the middle above ${bits}`)
      if (toHalf(low + (high - low) / 4) !== bits) expect.fail(`a quarter above ${bits}`)
      if (toHalf(-(high - (high - low) / 4)) !== bits + 1 + 0x8000) expect.fail(`below ${bits + 1}`)
    }
    expect([toHalf(65519.99), toHalf(65520), toHalf(-1e10)]).toEqual([0x7bff, 0x7c00, 0xfc00])
  })
})
