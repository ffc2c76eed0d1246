import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tries } from '../../../test/thorough.ts'
import { ByteWriter } from '../src/io/byte-writer.ts'

function written(write: (writer: ByteWriter) => void): string {
  const writer = new ByteWriter()
  write(writer)
  return Buffer.from(writer.take()).toString()
}

test('writes nine digits as toPrecision does', () => {
  const digits = (value: number): string => written((writer) => writer.nineDigits(value))
  const check = (value: number): void => {
    expect(digits(value)).toBe(value.toPrecision(9))
  }
  const options = tries(4000)
  fc.assert(fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), check), options)
  fc.assert(fc.property(fc.double({ min: -10, max: 10, noNaN: true }), check), options)
  // Halves between two numbers of nine digits, and the ends of decades.
  for (let exponent = -9; exponent <= 10; exponent++) {
    for (const digits of [1, 1.5, 9.99999999, 9.999999995, 1.000000005, 1.234567885, 5]) {
      for (const sign of [1, -1]) check(sign * digits * 10 ** exponent)
    }
  }
  check(0)
  check(-0)
})

test('writes whole numbers and long texts', () => {
  for (const value of [0, 9, 10, 99, 100, 12345, 999_999_999, 2 ** 31 - 1]) {
    expect(written((writer) => writer.whole(value))).toBe(String(value))
  }
  const text = 'é'.repeat(100_000)
  expect(written((writer) => writer.text(text))).toBe(text)
})
