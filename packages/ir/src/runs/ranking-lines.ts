import { FileError } from '@kith/base'
import { ByteWriter } from '../io/byte-writer.ts'
import { checkColumnId } from '../io/fields.ts'
import type { IdList } from '../io/id-list.ts'
import type { RunFormat } from './run-files.ts'
import { jsonRanking } from './run-json.ts'

/** A ranking whose documents are ids of a list, best first. */
export interface ListedRanking {
  query: string
  ids: IdList
  /** The places of the documents' ids in the list. */
  rows: ArrayLike<number>
  scores: ArrayLike<number>
}

/** The form of the file that rankings are written to; the file is named in errors. */
export interface RankingForm {
  file: string
  format: Extract<RunFormat, 'trec' | 'json'>
}

const SPACE = 32

/** Makes the bytes of rankings as `writeRun` writes them, a part of the file at a time. */
export class RankingLines {
  readonly #form: RankingForm
  readonly #writer = new ByteWriter()
  readonly #tag: Buffer
  #first = true

  constructor(form: RankingForm, tag = 'kith') {
    this.#form = form
    this.#tag = Buffer.from(` ${tag}\n`)
  }

  add(ranking: ListedRanking): void {
    const { query, ids, rows, scores } = ranking
    const { file, format } = this.#form
    for (let i = 0; i < rows.length; i++) {
      if (Number.isFinite(scores[i])) continue
      const problem = `query ${query}: the score of ${ids.get(rows[i]!)} is ${scores[i]}`
      throw new FileError(file, '', problem)
    }
    if (format === 'trec') this.#trec(ranking)
    else {
      if (!this.#first) this.#writer.text(',\n')
      const named = { query, ids: Array.from(rows, (row) => ids.get(row)), scores }
      this.#writer.text(jsonRanking(named))
    }
    this.#first = false
  }

  /** The bytes of the rankings so far; the next ones begin a new part. */
  take(): Uint8Array<ArrayBuffer> {
    this.#first = true
    return this.#writer.take()
  }

  #trec({ query, ids, rows, scores }: ListedRanking): void {
    const { file } = this.#form
    const writer = this.#writer
    checkColumnId(file, query, true)
    if (rows.length === 0) {
      const problem = `query ${query} has no documents, for which trec has no line: write .json`
      throw new FileError(file, '', problem)
    }
    const start = Buffer.from(`${query} Q0 `)
    // A double needs all digits that it has.
    const single = scores instanceof Float32Array
    for (let i = 0; i < rows.length; i++) {
      // Ids of a JSON run may be of any form.
      if (!ids.isColumn(rows[i]!)) checkColumnId(file, ids.get(rows[i]!))
      writer.bytes(start)
      writer.id(ids, rows[i]!)
      writer.byte(SPACE)
      writer.whole(i + 1)
      writer.byte(SPACE)
      if (single) writer.nineDigits(scores[i]!)
      else writer.text(String(scores[i]))
      writer.bytes(this.#tag)
    }
  }
}
