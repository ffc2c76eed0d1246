import { FileError, lineError } from './file-error.ts'
import { readChunks } from './read-chunks.ts'

/** Takes one line as a range of bytes, without its line break; the first line is 1. */
export type LineVisitor = (bytes: Buffer, from: number, to: number, line: number) => void

const NEWLINE = 10
const RETURN = 13

/** A longer line is binary garbage or not a line format; reading on would fill the memory. */
const LONGEST = 64 << 20

/**
 * Cuts chunks of bytes into lines without making strings of them: a run of seven
 * million lines is read in the time of a pass over its bytes.
 */
export class LineSplitter {
  #rest: Buffer[] = []
  #restLength = 0
  #line = 0

  constructor(
    readonly file: string,
    readonly visit: LineVisitor,
  ) {}

  /** Visits the lines that end in this chunk. */
  push(chunk: Buffer): void {
    let from = 0
    for (let to = chunk.indexOf(NEWLINE); to >= 0; to = chunk.indexOf(NEWLINE, from)) {
      if (this.#restLength > 0) this.#visitRest(chunk.subarray(0, to))
      else this.#visitLine(chunk, from, to)
      from = to + 1
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from))
  }

  /** Visits the last line, where it has no line break. */
  end(): void {
    if (this.#restLength > 0) this.#visitRest(Buffer.alloc(0))
  }

  #keep(part: Buffer): void {
    this.#rest.push(part)
    this.#restLength += part.length
    if (this.#restLength > LONGEST) {
      throw lineError(this.file, this.#line + 1, `longer than ${LONGEST} bytes: not a text file`)
    }
  }

  #visitRest(end: Buffer): void {
    const whole = Buffer.concat([...this.#rest, end])
    this.#rest = []
    this.#restLength = 0
    this.#visitLine(whole, 0, whole.length)
  }

  #visitLine(bytes: Buffer, from: number, to: number): void {
    const end = to > from && bytes[to - 1] === RETURN ? to - 1 : to
    this.visit(bytes, from, end, ++this.#line)
  }
}

/** Visits every line of a file; LF and CRLF both end a line. */
export async function eachLine(file: string, visit: LineVisitor): Promise<void> {
  const splitter = new LineSplitter(file, visit)
  for await (const chunk of readChunks(file)) splitter.push(chunk)
  splitter.end()
}

/** Turns every line of a file into at most one value, a chunk of the file at a time. */
export async function* mapLines<T>(
  file: string,
  parse: (text: string, line: number) => T | undefined,
): AsyncGenerator<T> {
  let values: T[] = []
  const splitter = new LineSplitter(file, (bytes, from, to, line) => {
    const value = parse(bytes.toString('utf8', from, to), line)
    if (value !== undefined) values.push(value)
  })
  for await (const chunk of readChunks(file)) {
    splitter.push(chunk)
    yield* values
    values = []
  }
  splitter.end()
  yield* values
}

/** Parses a line that holds one JSON object. */
export function parseJsonLine(file: string, line: number, text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw lineError(file, line, `not JSON: ${(error as Error).message}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw lineError(file, line, 'expected a JSON object')
  }
  return value as Record<string, unknown>
}

/** The error for a file without a single entry. */
export function emptyError(file: string, what: string): FileError {
  return new FileError(file, '', `holds no ${what}`)
}
