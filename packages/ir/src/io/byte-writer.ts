import type { IdList } from './id-list.ts'

const ZERO = 0x30
const POINT = 0x2e
const MINUS = 0x2d

const powers = Array.from({ length: 16 }, (_, exponent) => 10 ** exponent)

/** Assembles the bytes of lines without creating strings. */
export class ByteWriter {
  #bytes = new Uint8Array(1 << 16)
  #end = 0

  /** Appends a byte. */
  byte(value: number): void {
    this.#reserve(1)
    this.#bytes[this.#end++] = value
  }

  /** Appends bytes. */
  bytes(values: Uint8Array): void {
    const { length } = values
    this.#reserve(length)
    // A call of `set` takes longer than copying the few bytes of an id.
    if (length > 32) this.#bytes.set(values, this.#end)
    else for (let i = 0; i < length; i++) this.#bytes[this.#end + i] = values[i]!
    this.#end += length
  }

  /** Appends a text. */
  text(text: string): void {
    this.bytes(Buffer.from(text))
  }

  /** Appends an id of a list. */
  id(ids: IdList, index: number): void {
    this.#reserve(ids.sizeOf(index))
    this.#end = ids.copy(index, this.#bytes, this.#end)
  }

  /** Appends a whole number from 0 to 2^31 - 1. */
  whole(value: number): void {
    this.#reserve(16)
    this.#small(value)
  }

  /**
   * Appends a number with nine digits, which distinguish any two float32, like `toPrecision(9)`.
   */
  nineDigits(value: number): void {
    if (!this.#nineDigits(value)) this.text(value.toPrecision(9))
  }

  /**
   * Appends a number; returns false for numbers with an exponent, and if rounding is not certain.
   */
  #nineDigits(value: number): boolean {
    const size = Math.abs(value)
    if (!(size >= 1e-6 && size < 1e8)) return false
    // The number of decimals, and all digits as a whole number of nine digits.
    let decimals = 8
    while (decimals > 0 && size >= powers[9 - decimals]!) decimals--
    while (size * powers[decimals]! < 1e8) decimals++
    const scaled = size * powers[decimals]!
    const digits = (scaled + 0.5) | 0
    // The product itself is rounded: near the middle of two whole numbers, it does not decide.
    if (digits >= 1e9 || Math.abs(scaled - digits) > 0.4999) return false
    this.#reserve(24)
    if (value < 0) this.#bytes[this.#end++] = MINUS
    const scale = powers[Math.min(decimals, 9)]!
    const front = (digits / scale) | 0
    this.#small(front)
    this.#bytes[this.#end++] = POINT
    this.#end += decimals
    this.#digits(digits - front * scale, decimals, this.#end)
    return true
  }

  /** Returns a copy of the bytes so far, and starts again with none. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = this.#bytes.slice(0, this.#end)
    this.#end = 0
    return taken
  }

  #small(value: number): void {
    let count = 1
    while (value >= powers[count]!) count++
    this.#end += count
    this.#digits(value, count, this.#end)
  }

  /** Writes some digits of a whole number before a position, including leading zeros. */
  #digits(value: number, count: number, end: number): void {
    const bytes = this.#bytes
    let rest = value | 0
    for (let i = end - 1; i >= end - count; i--) {
      const next = (rest / 10) | 0
      bytes[i] = ZERO + rest - next * 10
      rest = next
    }
  }

  #reserve(bytes: number): void {
    if (this.#end + bytes <= this.#bytes.length) return
    const larger = new Uint8Array(Math.max(this.#end + bytes, this.#bytes.length * 2))
    larger.set(this.#bytes.subarray(0, this.#end))
    this.#bytes = larger
  }
}
