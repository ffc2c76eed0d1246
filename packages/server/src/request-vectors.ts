import { randomBytes } from 'node:crypto'
import { endianness } from 'node:os'

/** Numbers of a block of memory. */
const BLOCK = 16_384

/** Names that no client can guess, so that a text never stands for a vector. */
const prefix = randomBytes(16).toString('hex')

/**
 * The vectors of one request, by the names that stand for them in its JSON. They lie together in
 * blocks of memory: one for each vector would cost more than reading it.
 */
export class RequestVectors {
  readonly #named: Float32Array[] = []
  #block = Buffer.alloc(0)
  #used = 0

  /** Gives a vector a name. */
  name(vector: Float32Array): string {
    return prefix + (this.#named.push(vector) - 1)
  }

  /** The vector that a text stands for, if it does. */
  named(text: string): Float32Array | undefined {
    return text.startsWith(prefix) ? this.#named[Number(text.slice(prefix.length))] : undefined
  }

  /** A copy of some numbers. */
  copy(numbers: Float32Array): Float32Array {
    this.#reserve(numbers.byteLength)
    const vector = this.#take(numbers.byteLength)
    vector.set(numbers)
    return vector
  }

  /** The numbers whose little-endian float32 a text has as base64; undefined where it has none. */
  fromBase64(text: string): Float32Array | undefined {
    const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
    const characters = text.length - padding
    const bytes = Math.floor((characters * 3) / 4)
    // A single character behind groups of four is no base64, and would hide one that was skipped.
    if (bytes % 4 !== 0 || characters % 4 === 1) return undefined
    this.#reserve(bytes)
    // Characters that are not base64 are skipped, so that too few bytes come out.
    if (this.#block.write(text, this.#used, bytes, 'base64') !== bytes) return undefined
    if (endianness() === 'BE') this.#block.subarray(this.#used, this.#used + bytes).swap32()
    return this.#take(bytes)
  }

  /** Makes room; it may have anything in it, and is handed out only once it is overwritten. */
  #reserve(bytes: number): void {
    if (this.#used + bytes <= this.#block.length) return
    this.#block = Buffer.allocUnsafeSlow(Math.max(bytes, BLOCK * 4))
    this.#used = 0
  }

  #take(bytes: number): Float32Array {
    const vector = new Float32Array(this.#block.buffer, this.#used, bytes / 4)
    this.#used += bytes
    return vector
  }
}

/** Powers of ten that a double holds exactly. */
const POWERS = Float64Array.from({ length: 23 }, (_, i) => Number(`1e${i}`))
/** Digits that are read: as many as a double holds exactly. */
const DIGITS = 15
/** Of them, those that a 32-bit integer holds. */
const HIGH_DIGITS = 9

const MINUS = 45
const PLUS = 43
const POINT = 46
const ZERO = 48
const COMMA = 44
const CLOSE = 93
const LOWER_E = 101

/** Room for an array while it is read; it grows with the longest one. */
let room = new Float32Array(4096)

/** An array of numbers found in JSON, and the position behind it. */
interface FoundNumbers {
  /** In memory that the next call overwrites. */
  numbers: Float32Array
  end: number
}

/**
 * Reads a JSON array of numbers as float32, in less than half the time in which
 * `JSON.parse` makes doubles of them. Undefined where it is anything else, which
 * `JSON.parse` may judge.
 *
 * Digits behind the fifteenth are dropped: whatever was a float32 once comes out bit for
 * bit; one number in some ten million others is one step of float32 from the nearest.
 *
 * @param at The position behind the opening bracket.
 */
export function readNumberArray(bytes: Uint8Array, at: number): FoundNumbers | undefined {
  let count = 0
  while (true) {
    at = skipSpace(bytes, at)
    const start = at
    const negative = bytes[at] === MINUS
    if (negative) at++
    // The digits as two integers: their arithmetic is quicker than that of doubles.
    let high = 0
    let low = 0
    let digits = 0
    let exponent = 0
    const whole = at
    let digit = bytes[at]! ^ ZERO
    for (; digit <= 9; digit = bytes[++at]! ^ ZERO) {
      if (digits < HIGH_DIGITS) high = (high * 10 + digit) | 0
      else if (digits < DIGITS) low = (low * 10 + digit) | 0
      else exponent++
      if (high !== 0) digits++
    }
    // No digit at all, or a zero before others, is no JSON number.
    if (at === whole || (bytes[whole] === ZERO && at > whole + 1)) return undefined
    if (bytes[at] === POINT) {
      const point = ++at
      digit = bytes[at]! ^ ZERO
      if (high === 0) while (digit === 0) digit = bytes[++at]! ^ ZERO
      for (; digit <= 9 && digits < HIGH_DIGITS; digit = bytes[++at]! ^ ZERO, digits++)
        high = (high * 10 + digit) | 0
      for (; digit <= 9 && digits < DIGITS; digit = bytes[++at]! ^ ZERO, digits++)
        low = (low * 10 + digit) | 0
      exponent -= at - point
      while (digit <= 9) digit = bytes[++at]! ^ ZERO
      if (at === point) return undefined
    }
    if ((bytes[at]! | 32) === LOWER_E) {
      at++
      const minus = bytes[at] === MINUS
      if (minus || bytes[at] === PLUS) at++
      const power = at
      let given = 0
      digit = bytes[at]! ^ ZERO
      for (; digit <= 9; digit = bytes[++at]! ^ ZERO) if (given < 10_000) given = given * 10 + digit
      if (at === power) return undefined
      exponent += minus ? -given : given
    }
    let value = high
    if (digits > HIGH_DIGITS) {
      value = high * POWERS[Math.min(digits, DIGITS) - HIGH_DIGITS]! + low
    }
    // Exponents beyond the exact powers are rare, and left to the language.
    if (exponent < -22 || exponent > 22) value = Math.abs(numberAt(bytes, start, at))
    else if (exponent < 0) value /= POWERS[-exponent]!
    else if (exponent > 0) value *= POWERS[exponent]!
    if (count === room.length) grow()
    room[count++] = negative ? -value : value
    at = skipSpace(bytes, at)
    if (bytes[at] === CLOSE) return { numbers: room.subarray(0, count), end: at + 1 }
    if (bytes[at] !== COMMA) return undefined
    at++
  }
}

/** The position behind white space. */
export function skipSpace(bytes: Uint8Array, at: number): number {
  let byte = bytes[at]
  while (byte === 32 || byte === 10 || byte === 13 || byte === 9) byte = bytes[++at]
  return at
}

function numberAt(bytes: Uint8Array, start: number, end: number): number {
  return Number(Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1'))
}

function grow(): void {
  const larger = new Float32Array(room.length * 2)
  larger.set(room)
  room = larger
}
