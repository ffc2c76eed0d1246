import { FileError } from '@kith/base'
import { ByteWriter } from '../io/byte-writer.ts'
import { checkColumnId } from '../io/fields.ts'
import type { IdList } from '../io/id-list.ts'
import type { RankedQuery } from './run.ts'
import { jsonRanking } from './run-json.ts'

/**
 * `trec`: six columns; `msmarco`: query, document, rank; `json`: scores by query and document;
 * `parquet`: rows with qid, docid, rank and score, and the columns of a ranking.
 */
export type RunFormat = TextFormat | 'parquet'

/** The text formats, which are written in parts. */
export type TextFormat = 'trec' | 'msmarco' | 'json'

/** A ranking whose documents are ids of a list, best first. */
export interface ListedRanking extends Omit<RankedQuery, 'ids'> {
  ids: IdList
  /** The indices of the documents' ids in the list. */
  rows: ArrayLike<number>
}

/** The format of the file that rankings are written to; errors name the file. */
export interface RankingForm {
  file: string
  format: TextFormat
}

const SPACE = 32
const TAB = 9
const NEWLINE = 10

/**
 * Formats rankings as bytes of a run file, one part of the file at a time. No other module knows
 * the columns.
 */
export class RankingLines {
  readonly #form: RankingForm
  readonly #writer = new ByteWriter()
  readonly #tag: Buffer
  #first = true

  constructor(form: RankingForm, tag = 'kith') {
    this.#form = form
    this.#tag = Buffer.from(` ${tag}\n`)
  }

  add(ranking: RankedQuery | ListedRanking): void {
    const { query, scores } = ranking
    const { file, format } = this.#form
    const documents = documentsOf(ranking)
    for (let i = 0; i < documents.length; i++) {
      if (Number.isFinite(scores[i])) continue
      const problem = `query ${query}: the score of ${documents.id(i)} must be finite, got ${scores[i]}`
      throw new FileError(file, '', problem)
    }
    if (format !== 'json') this.#columns(ranking, documents)
    else {
      if (!this.#first) this.#writer.text(',\n')
      const ids = Array.from({ length: documents.length }, (_, i) => documents.id(i))
      this.#writer.text(jsonRanking({ ...ranking, ids }))
    }
    this.#first = false
  }

  /** Returns the bytes of the rankings so far; the next rankings begin a new part. */
  take(): Uint8Array<ArrayBuffer> {
    this.#first = true
    return this.#writer.take()
  }

  /** Writes a line per document; throws if an id could not be read back from its column. */
  #columns({ query, scores }: Omit<RankedQuery, 'ids'>, documents: Documents): void {
    const { file, format } = this.#form
    const writer = this.#writer
    checkColumnId(file, query, true)
    if (documents.length === 0) {
      const problem = `query ${query} has no documents, which the format ${format} cannot express; write .json`
      throw new FileError(file, '', problem)
    }
    const trec = format === 'trec'
    const start = Buffer.from(trec ? `${query} Q0 ` : `${query}\t`)
    // Nine digits distinguish any two float32; a double needs all its digits.
    const single = scores instanceof Float32Array
    for (let i = 0; i < documents.length; i++) {
      if (!documents.isColumn(i)) checkColumnId(file, documents.id(i))
      writer.bytes(start)
      documents.write(i, writer)
      writer.byte(trec ? SPACE : TAB)
      writer.whole(i + 1)
      if (trec) {
        writer.byte(SPACE)
        if (single) writer.nineDigits(scores[i]!)
        else writer.text(String(scores[i]))
        writer.bytes(this.#tag)
      } else writer.byte(NEWLINE)
    }
  }
}

/** The documents of a ranking, by rank. */
interface Documents {
  length: number
  id(rank: number): string
  /** Returns whether the id is known to fit a column. */
  isColumn(rank: number): boolean
  write(rank: number, writer: ByteWriter): void
}

function documentsOf(ranking: RankedQuery | ListedRanking): Documents {
  if ('rows' in ranking) {
    const { ids, rows } = ranking
    return {
      length: rows.length,
      id: (rank) => ids.get(rows[rank]!),
      // Ids of a JSON run may contain any characters.
      isColumn: (rank) => ids.isColumn(rows[rank]!),
      write: (rank, writer) => writer.id(ids, rows[rank]!),
    }
  }
  const { ids } = ranking
  return {
    length: ids.length,
    id: (rank) => ids[rank]!,
    isColumn: () => false,
    write: (rank, writer) => writer.text(ids[rank]!),
  }
}
