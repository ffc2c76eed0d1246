import { firstBadLine, LineBlocks, lineEnd, lineError, notUtf8 } from '@kith/base'
import { Fields } from '../io/fields.ts'
import { LineKernel } from '../io/line-kernel.ts'
import { parseNumber } from '../io/parse-number.ts'

/** The receiver of a run's lines. */
export interface RowSink {
  /** Adds the rows of a block. */
  rows(block: RowBlock): void
}

/** Rows in columns, in memory that the next block overwrites. */
export interface RowBlock {
  /** The query of each group of rows, and the first row of each group; at last the row count. */
  queries: string[]
  firsts: number[]
  /** The bytes of the documents' ids. */
  ids: Uint8Array
  /** Where each id starts, and at last the end of the bytes. */
  starts: Uint32Array
  scores: Float64Array
  /** The line of each row. */
  lines: Uint32Array
}

const NEWLINE = 10

/** Bytes to read at a time, unless a line is longer. */
const WINDOW = 1 << 18

/** Maximum number of rows to read at a time, if a line is longer than the window. */
const ROWS = 1 << 16

/** Bytes of the shortest line with a row: `1 2 3` and a line break. */
const SHORTEST = 6

let kernel: LineKernel | undefined

/**
 * Reads the lines of a TREC run (`query Q0 document rank score tag`) or of an MS MARCO run
 * (`query document rank`), whose score is the negative rank.
 */
export class RunRows {
  readonly #file: string
  readonly #sink: RowSink
  readonly #trec: boolean
  readonly #blocks: LineBlocks
  #line: number

  /**
   * @param sink Gets the lines as rows.
   * @param before Number of lines in the file before the first chunk.
   */
  constructor(file: string, format: 'trec' | 'msmarco', sink: RowSink, before = 0) {
    this.#file = file
    this.#sink = sink
    this.#trec = format === 'trec'
    this.#blocks = new LineBlocks(file)
    this.#line = before
  }

  /** Reads the lines that end in this chunk. */
  push(chunk: Buffer): void {
    for (const lines of this.#blocks.push(chunk)) this.#read(lines)
  }

  /** Reads the last line, if it has no line break. */
  end(): void {
    for (const lines of this.#blocks.end()) this.#read(lines)
  }

  #read(lines: Buffer): void {
    const bad = firstBadLine(lines)
    if (bad >= 0) throw this.#error(notUtf8, this.#line + bad + 1)
    for (let from = 0; from < lines.length; ) {
      const most = from + WINDOW
      const cut = most < lines.length ? lines.lastIndexOf(NEWLINE, most - 1) + 1 : lines.length
      const to = cut > from ? cut : lineEnd(lines, from) + 1
      from += this.#readWindow(lines.subarray(from, to))
    }
  }

  /** Reads whole lines; returns the number of bytes that were read. */
  #readWindow(lines: Buffer): number {
    kernel ??= new LineKernel()
    kernel.release()
    const { length } = lines
    const at = kernel.take(length + 1)
    const most = Math.min(ROWS, Math.ceil(length / SHORTEST))
    const ids = kernel.take(length)
    const starts = kernel.take((most + 1) * 4)
    const scores = kernel.take(most * 8)
    const fields = kernel.take(most * 8)
    const places = kernel.take(most * 4)
    const changes = kernel.take(most * 12)
    kernel.bytes.set(lines, at)
    // The last line of a file may have no line break.
    kernel.bytes[at + length] = NEWLINE
    const { exports, words } = kernel
    const count = exports.splitRows(
      ...([at, at + length, Number(this.#trec), most] as const),
      ...([ids, starts, scores, fields, places, this.#line, changes] as const),
    )
    const queries: string[] = []
    const firsts: number[] = []
    for (let group = 0; group < exports.groupCount(); group++) {
      const change = changes / 4 + group * 3
      firsts.push(words[change]!)
      queries.push(lines.toString('utf8', words[change + 1], words[change + 2]))
    }
    firsts.push(count)
    const block: RowBlock = {
      queries,
      firsts,
      ids: kernel.bytes.subarray(ids, ids + length),
      starts: words.subarray(starts / 4, starts / 4 + count + 1),
      scores: kernel.doubles.subarray(scores / 8, scores / 8 + count),
      lines: words.subarray(places / 4, places / 4 + count),
    }
    if (exports.openScoreCount() > 0) {
      const numbers = words.subarray(fields / 4, fields / 4 + count * 2)
      const bad = this.#readOpen(block, lines, numbers)
      if (bad >= 0) {
        // The rows before may have an error, too, which comes first.
        this.#sink.rows(rowsBefore(block, bad))
        throw this.#badScore(lines, numbers, bad, block.lines[bad]!)
      }
    }
    this.#sink.rows(block)
    const read = exports.byteCount()
    this.#line += exports.lineCount()
    if (read < length && count < most) throw this.#fewFields(lines.subarray(read))
    return Math.min(read, length)
  }

  /**
   * Reads the scores that the kernel leaves open: long numbers, and numbers with an exponent.
   * Returns the first row without a valid score; -1 if there is none.
   */
  #readOpen({ scores }: RowBlock, lines: Buffer, numbers: Uint32Array): number {
    for (let row = 0; row < scores.length; row++) {
      if (!Number.isNaN(scores[row])) continue
      const [start, end] = [numbers[row * 2]!, numbers[row * 2 + 1]!]
      const value = parseNumber(lines, start, end)
      const fits = this.#trec ? Number.isFinite(value) : Number.isInteger(value) && value >= 0
      if (!fits) return row
      scores[row] = this.#trec ? value : -value
    }
    return -1
  }

  #badScore(lines: Buffer, numbers: Uint32Array, row: number, line: number): Error {
    const problem = this.#trec ? 'score must be a number' : 'rank must be a whole number'
    const found = lines.toString('utf8', numbers[row * 2], numbers[row * 2 + 1])
    return this.#error(`${problem}, got '${found}'`, line)
  }

  /** Returns the error for a line with too few or too many fields. */
  #fewFields(line: Buffer): Error {
    const count = new Fields(1).split(line, 0, line.length)
    const [expected, names] = this.#trec
      ? [6, 'query Q0 document rank score tag']
      : [3, 'query document rank']
    const problem = `expected ${expected} fields, got ${count}; each line needs: ${names}`
    return this.#error(problem, this.#line + 1)
  }

  #error(problem: string, line: number): Error {
    return lineError(this.#file, line, problem)
  }
}

/** Returns the rows of a block before a row, with the query of this row. */
function rowsBefore(block: RowBlock, row: number): RowBlock {
  const groups = block.firsts.findIndex((first) => first > row)
  const firsts = [...block.firsts.slice(0, groups), row]
  return { ...block, queries: block.queries.slice(0, groups), firsts }
}
