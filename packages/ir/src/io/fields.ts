import { FileError } from '@kith/base'
import { parseNumber } from './parse-number.ts'

const NEWLINE = 10

/** Finds the fields of a line without creating strings. */
export class Fields {
  readonly starts: Int32Array
  readonly ends: Int32Array
  /** The end of the line that was split last, without its line break. */
  end = 0

  /**
   * @param limit Maximum number of fields whose positions are kept; further fields are only
   * counted.
   */
  constructor(readonly limit: number) {
    this.starts = new Int32Array(limit)
    this.ends = new Int32Array(limit)
  }

  /**
   * Finds the fields of the line that starts at `from`, separated by white space as defined by C's
   * `isspace`; returns their number.
   *
   * @param to The end of the line if it has no line break before.
   */
  split(bytes: Uint8Array, from: number, to: number): number {
    const { starts, ends, limit } = this
    let count = 0
    let i = from
    for (;;) {
      while (i < to && bytes[i] !== NEWLINE && isSpace(bytes[i]!)) i++
      if (i >= to || bytes[i] === NEWLINE) break
      const start = i
      while (i < to && !isSpace(bytes[i]!)) i++
      if (count < limit) {
        starts[count] = start
        ends[count] = i
      }
      count++
    }
    this.end = i
    return count
  }

  /** Returns the text of a field. */
  text(bytes: Buffer, field: number): string {
    return bytes.toString('utf8', this.starts[field]!, this.ends[field]!)
  }

  /** Returns the number in a field; NaN if there is none. */
  number(bytes: Buffer, field: number): number {
    return parseNumber(bytes, this.starts[field]!, this.ends[field]!)
  }
}

/** Returns whether a byte is white space as defined by C's `isspace`. */
export function isSpace(byte: number): boolean {
  return byte <= 32 && (byte === 32 || (byte <= 13 && byte >= 9))
}

const TAB = 9
const COMMENT = 0x23

/** The properties of the first line by which formats with columns are recognized. */
interface FirstFields {
  /** The number of fields in the first line that is neither blank nor a comment; 0 without one. */
  count: number
  /** The number of tabs in the line. */
  tabs: number
  /** The first byte of the line. */
  first: number | undefined
}

/** Reads the first line that is neither blank nor a comment. */
export function firstFields(start: Buffer): FirstFields {
  const fields = new Fields(1)
  for (let from = 0; from < start.length; ) {
    const end = start.indexOf(NEWLINE, from)
    const to = end < 0 ? start.length : end
    const count = fields.split(start, from, to)
    const first = start[fields.starts[0]!]
    if (count > 0 && first !== COMMENT) return { count, tabs: tabsIn(start, from, to), first }
    from = to + 1
  }
  return { count: 0, tabs: 0, first: undefined }
}

function tabsIn(bytes: Buffer, from: number, to: number): number {
  let tabs = 0
  for (let i = from; i < to; i++) if (bytes[i] === TAB) tabs++
  return tabs
}

/**
 * Matches a text that is a single column: without white space as defined by C's `isspace`, and
 * valid in UTF-8.
 */
export const oneColumn = /^[^\t-\r \p{Surrogate}]+$/u

/**
 * Checks that an id can be read back from a file with columns. White space would shift the columns;
 * a line that begins with `#` is a comment, with `{` JSON, and with a byte order mark a different
 * id.
 *
 * @param first Whether the id is the first column of its line.
 */
export function checkColumnId(file: string, id: string, first = false): void {
  if (oneColumn.test(id) && !(first && /^[#{\ufeff]/.test(id))) return
  const why = oneColumn.test(id)
    ? `: no line may start with ${JSON.stringify(id[0])}`
    : '; use ids without spaces'
  throw new FileError(file, '', `id ${JSON.stringify(id)} does not fit into a column${why}`)
}
