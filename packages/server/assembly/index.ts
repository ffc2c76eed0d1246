/**
 * Reads arrays of numbers of JSON as float32, eight digits at a time. Behind the bytes there must
 * be eight zeros, so that no look ahead leaves the memory and every array ends.
 */

/** Numbers that this module does not decide: what `Number` makes of the bytes from `start` to `end`. */
declare function slow(start: usize, end: usize): f64

/** Powers of ten that a double holds exactly. */
const POWERS: StaticArray<f64> = [
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
  1e18, 1e19, 1e20, 1e21, 1e22,
]
const WHOLE_POWERS: StaticArray<u64> = [
  1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000,
]
const LARGEST_POWER: i32 = 22
/** Digits that a signed number of 64 bits holds. */
const DIGITS: i32 = 18
/** More than the sum of all errors: of dropped digits, of the conversion, and of the division. */
const ERROR: f64 = 8.881784197001252e-16

const MINUS: u8 = 45
const PLUS: u8 = 43
const POINT: u8 = 46
const ZERO: u8 = 48
const COMMA: u8 = 44
const CLOSE: u8 = 93
const LOWER_E: u8 = 101

/** The end of the last array: the position behind its bracket. */
let ended: usize = 0

export function endOfNumbers(): usize {
  return ended
}

/**
 * Reads an array from the position behind its opening bracket.
 *
 * @returns How many numbers it has; -1 if it is no array of numbers.
 */
export function readNumbers(at: usize, into: usize): i32 {
  let count: i32 = 0
  while (true) {
    at = skipSpace(at)
    const start = at
    // Signs are as likely as not: a branch would be guessed wrong half of the time.
    const negative = <usize>(load<u8>(at) == MINUS)
    at += negative
    let value: u64 = 0
    let digits: i32 = 0
    let exponent: i32 = 0
    const whole = at
    for (let digit = digitAt(at); digit <= 9; digit = digitAt(++at)) {
      if (digits < DIGITS) value = value * 10 + digit
      else exponent++
      if (value != 0) digits++
    }
    // No digit at all, or a zero before others, is no JSON number.
    if (at == whole || (load<u8>(whole) == ZERO && at > whole + 1)) return -1
    if (load<u8>(at) == POINT) {
      const point = ++at
      while (true) {
        // Digits become 0 to 9; the lowest high bit marks the first byte that is no digit.
        const eight = load<u64>(at) ^ eightOf(0x30)
        const others = ((eight + eightOf(0x76)) | eight) & eightOf(0x80)
        const found = <i32>(ctz(others) >> 3)
        // Zeros in front are no digits of the number.
        const zeros = value == 0 ? <i32>(ctz(eight) >> 3) : 0
        if (digits + found - zeros > DIGITS) break
        digits += found - zeros
        if (found < 8) {
          at += found
          // Zeros come in front of fewer than eight digits: two shifts, since one of 64 would be none.
          const shifted = (eight << (63 - (found << 3))) << 1
          value = value * unchecked(WHOLE_POWERS[found]) + wholeOf(shifted)
          break
        }
        // A constant, so that the next eight need not wait for the count of these.
        at += 8
        value = value * 100000000 + wholeOf(eight)
      }
      for (let digit = digitAt(at); digit <= 9 && digits < DIGITS; digit = digitAt(++at)) {
        value = value * 10 + digit
        if (value != 0) digits++
      }
      exponent -= <i32>(at - point)
      while (digitAt(at) <= 9) at++
      if (at == point) return -1
    }
    if ((load<u8>(at) | 32) == LOWER_E) {
      at++
      const sign = load<u8>(at)
      if (sign == MINUS || sign == PLUS) at++
      const power = at
      let given: i32 = 0
      for (let digit = digitAt(at); digit <= 9; digit = digitAt(++at)) {
        if (given < 100000) given = given * 10 + <i32>digit
      }
      if (at == power) return -1
      exponent += sign == MINUS ? -given : given
    }
    store<f32>(into + ((<usize>count) << 2), float(value, exponent, negative, start, at))
    count++
    at = skipSpace(at)
    const next = load<u8>(at)
    at++
    if (next == CLOSE) {
      ended = at
      return count
    }
    if (next != COMMA) return -1
  }
}

/** The float32 that is nearest to the double that is nearest to value · 10^exponent. */
// @ts-expect-error: decorators are of AssemblyScript
function float(value: u64, exponent: i32, negative: usize, start: usize, end: usize): f32 {
  const sign = (<u32>negative) << 31
  if (value == 0) return reinterpret<f32>(sign)
  if (exponent < -LARGEST_POWER || exponent > LARGEST_POWER) return <f32>slow(start, end)
  let size = <f64>(<i64>value)
  if (exponent < 0) size /= unchecked(POWERS[-exponent])
  else size *= unchecked(POWERS[exponent])
  const low = <f32>(size * (1 - ERROR))
  const high = <f32>(size * (1 + ERROR))
  if (low != high) return <f32>slow(start, end)
  return reinterpret<f32>(reinterpret<u32>(low) | sign)
}

/** Eight times the same byte. */
function eightOf(byte: u64): u64 {
  return byte * (((<u64>0x01010101) << 32) | 0x01010101)
}

/** The number of eight digits, the first in the lowest byte. */
// @ts-expect-error: decorators are of AssemblyScript
function wholeOf(digits: u64): u64 {
  digits = (digits * 2561) >> 8
  digits = ((digits & (((<u64>0x00ff00ff) << 32) | 0x00ff00ff)) * 6553601) >> 16
  return ((digits & (((<u64>0xffff) << 32) | 0xffff)) * 42949672960001) >> 32
}

/** The digit at a position; more than 9 if there is none. */
// @ts-expect-error: decorators are of AssemblyScript
function digitAt(at: usize): u64 {
  return <u64>(load<u8>(at) ^ ZERO)
}

// @ts-expect-error: decorators are of AssemblyScript
function skipSpace(at: usize): usize {
  let byte = load<u8>(at)
  while (byte == 32 || byte == 10 || byte == 13 || byte == 9) byte = load<u8>(++at)
  return at
}
