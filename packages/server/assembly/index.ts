/**
 * Reads arrays of numbers of JSON as float32, sixteen digits at a time. Behind the bytes there must
 * be 64 zeros, so that no look ahead leaves the memory and every array ends.
 */

/** Numbers that this module does not decide: what `Number` makes of the bytes from `start` to `end`. */
declare function slow(start: usize, end: usize): f64

/** Powers of ten that a double holds exactly. */
const POWERS: StaticArray<f64> = [
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
  1e18, 1e19, 1e20, 1e21, 1e22,
]
const LARGEST_POWER: i32 = 22
/** Digits that a signed number of 64 bits holds. */
const DIGITS: i32 = 18
/** More than the sum of all errors: of dropped digits, of the conversion, and of the division. */
const ERROR: f64 = 8.881784197001252e-16

const SPACE: u8 = 32
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

/** Thirty-two ones and sixteen zeros: a load from `MASKS + 32 - n` keeps n bytes, at most 16. */
const MASKS: usize = memory.data<i64>([-1, -1, -1, -1, 0, 0])

/**
 * Reads an array from the position behind its opening bracket. Most numbers of embeddings have one
 * digit before the point: these are read without a branch that depends on the digits, if a comma
 * follows.
 *
 * @returns How many numbers it has; -1 if it is no array of numbers.
 */
export function readNumbers(at: usize, into: usize): i32 {
  const comma = i8x16.splat(COMMA)
  const zero = i8x16.splat(ZERO)
  const nine = i8x16.splat(9)
  let to = into
  while (true) {
    const near = v128.load(at)
    const far = v128.load(at, 16)
    // The next number waits for this length: nothing else may come before it.
    const length = ctz(
      i8x16.bitmask(i8x16.eq(near, comma)) | (i8x16.bitmask(i8x16.eq(far, comma)) << 16),
    )
    const digits =
      i8x16.bitmask(i8x16.le_u(i8x16.sub(near, zero), nine)) |
      (i8x16.bitmask(i8x16.le_u(i8x16.sub(far, zero), nine)) << 16)
    const negative = <i32>(load<u8>(at) == MINUS)
    const whole = at + <usize>negative
    // Characters other than digits: a sign, and the point behind the first digit.
    const others = ~digits & ((1 << length) - 1)
    if (
      others == ((2 << negative) | negative) &&
      load<u8>(whole, 1) == POINT &&
      length > 2 + negative
    ) {
      const sixteen = v128.and(
        i8x16.sub(v128.load(whole, 2), zero),
        v128.load(MASKS + 34 + <usize>negative - <usize>length),
      )
      const pairs = i16x8.shr_u(i16x8.mul(sixteen, i16x8.splat(10 * 256 + 1)), 8)
      const fours = i32x4.dot_i16x8_s(pairs, i32x4.splat(0x10000 + 100))
      const eights = i32x4.dot_i16x8_s(
        i16x8.narrow_i32x4_s(fours, fours),
        i32x4.splat(0x10000 + 10000),
      )
      const halves = i64x2.extract_lane(eights, 0)
      const fraction = (halves & 0xffffffff) * 100000000 + (halves >> 32)
      const value = <f64>(<i64>digitAt(whole) * 10000000000000000 + fraction)
      // Digits behind these add less than one to the value.
      const low = <f32>(value * (1e-16 * (1 - ERROR)))
      const high = <f32>((value + 1) * (1e-16 * (1 + ERROR)))
      if (low == high) {
        store<u32>(to, reinterpret<u32>(low) | (negative << 31))
        to += 4
        at += <usize>length + 1
        continue
      }
    }
    // Behind the space that some programs write after a comma, the number may have the usual form.
    if (load<u8>(at) == SPACE) {
      at++
      continue
    }
    at = readNumber(skipSpace(at), to)
    if (at == 0) return -1
    to += 4
    at = skipSpace(at)
    const next = load<u8>(at)
    at++
    if (next == COMMA) continue
    if (next != CLOSE) return -1
    ended = at
    return <i32>((to - into) >> 2)
  }
}

/** Reads any number; returns the position behind it, or 0 if there is none. */
function readNumber(at: usize, to: usize): usize {
  const start = at
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
  if (at == whole || (load<u8>(whole) == ZERO && at > whole + 1)) return 0
  if (load<u8>(at) == POINT) {
    const point = ++at
    for (let digit = digitAt(at); digit <= 9; digit = digitAt(++at)) {
      if (digits >= DIGITS) continue
      value = value * 10 + digit
      exponent--
      if (value != 0) digits++
    }
    if (at == point) return 0
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
    if (at == power) return 0
    exponent += sign == MINUS ? -given : given
  }
  store<f32>(to, float(value, exponent, negative, start, at))
  return at
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
