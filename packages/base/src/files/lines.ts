import { isUtf8 } from 'node:buffer'
import { FileError, lineError } from './file-error.ts'
import { InputFile } from './input-file.ts'

/**
 * Takes one line as a range of bytes, without its line break; the first line is 1. `at` is the place
 * of its first byte among all bytes.
 */
export type LineVisitor = (
  bytes: Buffer,
  from: number,
  to: number,
  line: number,
  at: number,
) => void

const NEWLINE = 10
const RETURN = 13

/** A longer line is binary garbage or not a line format; reading on would fill the memory. */
const LONGEST = 64 << 20

/**
 * Cuts chunks of bytes into lines without making strings of them: a run of seven
 * million lines is read in the time of a pass over its bytes. A line that is not UTF-8 is an error:
 * its ids and words would become others.
 */
export class LineSplitter {
  #rest: Buffer[] = []
  #restLength = 0
  #line: number
  /** The place of the next line's first byte. */
  #at = 0
  /** Whether there is a byte in this chunk's lines that is not UTF-8. */
  #damaged = false

  /** @param before How many lines of the file stand before the first chunk. */
  constructor(
    readonly file: string,
    readonly visit: LineVisitor,
    before = 0,
  ) {
    this.#line = before
  }

  /** Visits the lines that end in this chunk. */
  push(chunk: Buffer): void {
    const end = chunk.lastIndexOf(NEWLINE) + 1
    let from = 0
    if (end > 0 && this.#restLength > 0) {
      const to = lineEnd(chunk, 0)
      this.#visitRest(chunk.subarray(0, to))
      from = to + 1
    }
    // All lines that end here at once: a check of each one would take as long as reading it.
    if (from < end) this.#damaged = !isUtf8(chunk.subarray(from, end - 1))
    this.#visitLines(chunk, from, end)
    if (end < chunk.length) this.#keep(chunk.subarray(end))
  }

  /** Visits the last line, if it has no line break. */
  end(): void {
    if (this.#restLength > 0) this.#visitRest(Buffer.alloc(0))
  }

  #visitLines(bytes: Buffer, from: number, end: number): void {
    for (let start = from; start < end; ) {
      const to = lineEnd(bytes, start)
      this.#visitLine(bytes, start, to)
      start = to + 1
    }
  }

  #keep(part: Buffer): void {
    this.#rest.push(part)
    this.#restLength += part.length
    if (this.#restLength > LONGEST) {
      throw lineError(
        this.file,
        this.#line + 1,
        `the line has more than ${LONGEST} bytes; is this a text file?`,
      )
    }
  }

  #visitRest(end: Buffer): void {
    const whole = Buffer.concat([...this.#rest, end])
    this.#rest = []
    this.#restLength = 0
    this.#damaged = !isUtf8(whole)
    this.#visitLine(whole, 0, whole.length)
  }

  #visitLine(bytes: Buffer, from: number, to: number): void {
    const end = to > from && bytes[to - 1] === RETURN ? to - 1 : to
    this.#line++
    if (this.#damaged && !isUtf8(bytes.subarray(from, end))) {
      throw lineError(this.file, this.#line, notUtf8)
    }
    this.visit(bytes, from, end, this.#line, this.#at)
    this.#at += to + 1 - from
  }
}

/** Bytes of a line that are looked at here: calling `indexOf` takes longer than a short line. */
const SHORT = 64

/** Returns the place of the next line break, which must exist. */
function lineEnd(bytes: Buffer, from: number): number {
  for (let i = from; i < from + SHORT; i++) if (bytes[i] === NEWLINE) return i
  return bytes.indexOf(NEWLINE, from + SHORT)
}

/** Visits every line of a file; LF and CRLF both end a line. */
export async function eachLine(input: InputFile, visit: LineVisitor): Promise<void> {
  const splitter = new LineSplitter(input.name, visit)
  for await (const chunk of input.chunks()) splitter.push(chunk)
  splitter.end()
}

/** Turns every line of a file into at most one value, a chunk of the file at a time. */
export async function* mapLines<T>(
  input: InputFile,
  parse: (text: string, line: number) => T | undefined,
): AsyncGenerator<T> {
  let values: T[] = []
  const splitter = new LineSplitter(input.name, (bytes, from, to, line) => {
    const value = parse(bytes.toString('utf8', from, to), line)
    if (value !== undefined) values.push(value)
  })
  for await (const chunk of input.chunks()) {
    splitter.push(chunk)
    yield* values
    values = []
  }
  splitter.end()
  yield* values
}

/** Turns every line of a file into at most one value: checked UTF-8, packed or not, read once. */
export function readLines<T>(
  file: string,
  parse: (text: string, line: number) => T | undefined,
): AsyncGenerator<T> {
  return mapLines(new InputFile(file), parse)
}

/** The error for a file without a single entry. */
export function emptyError(file: string, what: string): FileError {
  return new FileError(file, '', `contains no ${what}`)
}

/** The number of the first line that is not UTF-8, counted from 0; -1 if all are. */
export function firstBadLine(bytes: Buffer): number {
  if (isUtf8(bytes)) return -1
  let line = 0
  for (let from = 0; ; line++) {
    const to = bytes.indexOf(NEWLINE, from)
    if (to < 0 || !isUtf8(bytes.subarray(from, to))) return line
    from = to + 1
  }
}

/** The message for a line that is not UTF-8. */
export const notUtf8 = 'is not UTF-8; convert the file, for example with iconv -f LATIN1 -t UTF-8'

/** Whether a text has half a surrogate pair in it, for which UTF-8 has no bytes. */
export function isIllFormed(text: string): boolean {
  return /\p{Surrogate}/u.test(text)
}
