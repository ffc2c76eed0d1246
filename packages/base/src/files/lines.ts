import { isUtf8 } from 'node:buffer'
import { FileError, lineError } from './file-error.ts'
import { InputFile } from './input-file.ts'

/** Takes one line as a range of bytes, without its line break; the first line is 1. */
export type LineVisitor = (bytes: Buffer, from: number, to: number, line: number) => void

const NEWLINE = 10
const RETURN = 13

/** A longer line is binary garbage or not a line format; reading on would fill the memory. */
const LONGEST = 64 << 20

/** Throws if a line with at least this many bytes is too long; it starts at a position. */
export function checkLineLength(file: string, length: number, at: number): void {
  if (length <= LONGEST) return
  const problem = `the line has more than ${LONGEST} bytes; is this a text file?`
  throw new FileError(file, `byte ${at}`, problem)
}

/** Cuts chunks of a file into blocks of whole lines. Only lines that span chunks are copied. */
export class LineBlocks {
  #rest: Buffer[] = []
  #restLength = 0
  /** Number of bytes in the blocks so far. */
  #at = 0

  constructor(readonly file: string) {}

  /** Returns the lines that end in this chunk, as blocks that end with a line break. */
  push(chunk: Buffer): Buffer[] {
    const blocks: Buffer[] = []
    const end = chunk.lastIndexOf(NEWLINE) + 1
    let from = 0
    if (end > 0 && this.#restLength > 0) {
      from = chunk.indexOf(NEWLINE) + 1
      blocks.push(Buffer.concat([...this.#rest.splice(0), chunk.subarray(0, from)]))
      this.#restLength = 0
    }
    if (from < end) blocks.push(chunk.subarray(from, end))
    for (const { length } of blocks) this.#at += length
    if (end < chunk.length) this.#keep(chunk.subarray(end))
    return blocks
  }

  /** Returns the last line, if it has no line break. */
  end(): Buffer[] {
    return this.#restLength > 0 ? [Buffer.concat(this.#rest)] : []
  }

  #keep(part: Buffer): void {
    this.#rest.push(part)
    this.#restLength += part.length
    checkLineLength(this.file, this.#restLength, this.#at)
  }
}

/**
 * Cuts chunks of bytes into lines without making strings of them: a run of seven
 * million lines is read in the time of a pass over its bytes. A line that is not UTF-8 is an error:
 * its ids and words would become others.
 */
class LineSplitter {
  readonly #blocks: LineBlocks
  #line = 0
  /** Whether there is a byte in this block's lines that is not UTF-8. */
  #damaged = false

  constructor(
    readonly file: string,
    readonly visit: LineVisitor,
  ) {
    this.#blocks = new LineBlocks(file)
  }

  /** Visits the lines that end in this chunk. */
  push(chunk: Buffer): void {
    for (const block of this.#blocks.push(chunk)) this.#visitLines(block)
  }

  /** Visits the last line, if it has no line break. */
  end(): void {
    for (const block of this.#blocks.end()) this.#visitLines(block)
  }

  #visitLines(bytes: Buffer): void {
    // All lines at once: a check of each one would take as long as reading it.
    this.#damaged = !isUtf8(bytes)
    for (let from = 0; from < bytes.length; ) {
      const to = lineEnd(bytes, from)
      this.#visitLine(bytes, from, to)
      from = to + 1
    }
  }

  #visitLine(bytes: Buffer, from: number, to: number): void {
    const end = to > from && bytes[to - 1] === RETURN ? to - 1 : to
    this.#line++
    if (this.#damaged && !isUtf8(bytes.subarray(from, end))) {
      throw lineError(this.file, this.#line, notUtf8)
    }
    this.visit(bytes, from, end, this.#line)
  }
}

/** Bytes of a line that are looked at here: calling `indexOf` takes longer than a short line. */
const SHORT = 64

/** Returns the place of the next line break, or the end of the bytes. */
export function lineEnd(bytes: Buffer, from: number): number {
  const end = Math.min(from + SHORT, bytes.length)
  for (let i = from; i < end; i++) if (bytes[i] === NEWLINE) return i
  const found = bytes.indexOf(NEWLINE, end)
  return found < 0 ? bytes.length : found
}

/** Visits every line of a file; LF and CRLF both end a line. */
export async function eachLine(input: InputFile, visit: LineVisitor): Promise<void> {
  const splitter = new LineSplitter(input.name, visit)
  for await (const chunk of input.chunks()) splitter.push(chunk)
  splitter.end()
}

/** Returns a visitor that turns every line into at most one value. */
function collecting<T>(
  values: T[],
  parse: (text: string, line: number) => T | undefined,
): LineVisitor {
  return (bytes, from, to, line) => {
    const value = parse(bytes.toString('utf8', from, to), line)
    if (value !== undefined) values.push(value)
  }
}

/** Turns every line of a file into at most one value, a chunk of the file at a time. */
export async function* mapLines<T>(
  input: InputFile,
  parse: (text: string, line: number) => T | undefined,
): AsyncGenerator<T> {
  const values: T[] = []
  const splitter = new LineSplitter(input.name, collecting(values, parse))
  for await (const chunk of input.chunks()) {
    splitter.push(chunk)
    yield* values.splice(0)
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
