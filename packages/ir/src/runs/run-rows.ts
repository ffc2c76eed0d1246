import { firstBadLine, LineBlocks, lineError, notUtf8 } from '@kith/base'
import { Fields } from '../io/fields.ts'

/** The receiver of a run's lines. */
export interface RowSink {
  /** Sets the query of the rows that follow. */
  query(bytes: Uint8Array, from: number, to: number, line: number): void
  /** Adds a document of the current query. */
  row(bytes: Uint8Array, from: number, to: number, score: number, line: number): void
}

const COMMENT = 0x23

/**
 * Reads the lines of a TREC run (`query Q0 document rank score tag`) or of an MS MARCO run
 * (`query document rank`), whose score is the negative rank.
 */
export class RunRows {
  readonly #file: string
  readonly #sink: RowSink
  readonly #trec: boolean
  readonly #blocks: LineBlocks
  readonly #fields = new Fields(6)
  #line: number

  /**
   * @param sink Gets each line as a row.
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
    const fields = this.#fields
    for (let from = 0; from < lines.length; from = fields.end + 1) {
      const count = fields.split(lines, from, lines.length)
      this.#line++
      if (count === 0) continue
      if (this.#trec) this.#trecRow(lines, count)
      else this.#msmarcoRow(lines, count)
    }
  }

  #trecRow(lines: Buffer, count: number): void {
    const fields = this.#fields
    const { starts, ends } = fields
    if (lines[starts[0]!] === COMMENT) return
    if (count < 6) {
      const needed = 'each line needs: query Q0 document rank score tag'
      throw this.#error(`expected 6 fields, got ${count}; ${needed}`)
    }
    const score = fields.number(lines, 4)
    if (!Number.isFinite(score)) {
      throw this.#error(`score must be a number, got '${fields.text(lines, 4)}'`)
    }
    this.#sink.query(lines, starts[0]!, ends[0]!, this.#line)
    this.#sink.row(lines, starts[2]!, ends[2]!, score, this.#line)
  }

  #msmarcoRow(lines: Buffer, count: number): void {
    const fields = this.#fields
    const { starts, ends } = fields
    if (count !== 3) {
      throw this.#error(`expected 3 fields, got ${count}; each line needs: query document rank`)
    }
    const rank = fields.number(lines, 2)
    if (!Number.isInteger(rank) || rank < 0) {
      throw this.#error(`rank must be a whole number, got '${fields.text(lines, 2)}'`)
    }
    this.#sink.query(lines, starts[0]!, ends[0]!, this.#line)
    this.#sink.row(lines, starts[1]!, ends[1]!, -rank, this.#line)
  }

  #error(problem: string, line = this.#line): Error {
    return lineError(this.#file, line, problem)
  }
}
