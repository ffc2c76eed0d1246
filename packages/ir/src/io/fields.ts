import { parseNumber } from './parse-number.ts'

/** The fields of a line, found without making strings of them. */
export class Fields {
  readonly starts: Int32Array
  readonly ends: Int32Array

  /** @param limit How many fields' places are kept; further ones are only counted. */
  constructor(readonly limit: number) {
    this.starts = new Int32Array(limit)
    this.ends = new Int32Array(limit)
  }

  /** Finds the fields, separated by white space as C's `isspace` has it, and returns their number. */
  split(bytes: Uint8Array, from: number, to: number): number {
    let count = 0
    let i = from
    for (;;) {
      while (i < to && isSpace(bytes[i]!)) i++
      if (i >= to) return count
      const start = i
      while (i < to && !isSpace(bytes[i]!)) i++
      if (count < this.limit) {
        this.starts[count] = start
        this.ends[count] = i
      }
      count++
    }
  }

  /** The text of a field. */
  text(bytes: Buffer, field: number): string {
    return bytes.toString('utf8', this.starts[field]!, this.ends[field]!)
  }

  /** The number in a field, NaN where it is none. */
  number(bytes: Buffer, field: number): number {
    return parseNumber(bytes, this.starts[field]!, this.ends[field]!)
  }
}

/** Whether a byte is white space as C's `isspace` has it. */
export function isSpace(byte: number): boolean {
  return byte <= 32 && (byte === 32 || (byte <= 13 && byte >= 9))
}
