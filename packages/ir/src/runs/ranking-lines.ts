import { FileError } from '@kith/base'
import { checkColumnId } from '../io/fields.ts'
import { IdList } from '../io/id-list.ts'
import type { RankedQuery } from './run.ts'
import { jsonRanking } from './run-json.ts'
import { RunKernel } from './run-kernel.ts'

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

/** Bytes to format at a time, unless a line is longer. */
const ROOM = 1 << 14

/** The reasons why the kernel stops, see assembly/format-rows.ts. */
const OPEN_SCORE = 1
const NO_ROOM = 2
const NO_COLUMN = 3

/**
 * Formats rankings as bytes of a run file, one part of the file at a time. No other module knows
 * the columns.
 */
export class RankingLines {
  readonly #form: RankingForm
  readonly #kernel = new RunKernel()
  readonly #tag: Buffer
  /** The list whose ids are in the memory of the kernel, with their addresses. */
  #placed: { list: IdList; ids: number; starts: number; end: number } | undefined
  #bytes = Buffer.alloc(1 << 16)
  #end = 0
  #first = true

  constructor(form: RankingForm, tag = 'kith') {
    this.#form = form
    this.#tag = Buffer.from(` ${tag}\n`)
  }

  add(ranking: RankedQuery | ListedRanking): void {
    const { query, scores } = ranking
    const { file, format } = this.#form
    if (format !== 'json') this.#columns('rows' in ranking ? ranking : listed(file, ranking))
    else {
      const ids = namesOf(ranking)
      for (const [rank, id] of ids.entries()) checkScore(file, query, id, scores[rank]!)
      if (!this.#first) this.#append(Buffer.from(',\n'))
      this.#append(Buffer.from(jsonRanking({ ...ranking, ids })))
    }
    this.#first = false
  }

  /** Returns the bytes of the rankings so far; the next rankings begin a new part. */
  take(): Uint8Array<ArrayBuffer> {
    this.#first = true
    const taken = new Uint8Array(this.#end)
    taken.set(this.#bytes.subarray(0, this.#end))
    this.#end = 0
    return taken
  }

  /** Writes a line per document; throws if an id could not be read back from its column. */
  #columns({ query, ids, rows, scores }: ListedRanking): void {
    const { file, format } = this.#form
    checkColumnId(file, query, true)
    if (rows.length === 0) {
      const problem = `query ${query} has no documents, which the format ${format} cannot express; write .json`
      throw new FileError(file, '', problem)
    }
    const kernel = this.#kernel
    const placed = this.#place(ids)
    const trec = format === 'trec'
    // Lines of MS MARCO have no score, which the kernel would check.
    for (let rank = 0; !trec && rank < rows.length; rank++) {
      checkScore(file, query, ids.get(rows[rank]!), scores[rank]!)
    }
    const prefix = Buffer.from(trec ? `${query} Q0 ` : `${query}\t`)
    // Nine digits distinguish any two float32; a double needs all its digits.
    const single = trec && scores instanceof Float32Array
    const suffix = trec ? this.#tag : undefined
    const prefixAt = kernel.place(prefix)
    const rowsAt = kernel.placeWords(rows)
    const scoresAt = single ? kernel.placeFloats(scores) : 0
    const suffixAt = suffix ? kernel.place(suffix) : 0
    const { end } = kernel
    let room = ROOM
    for (let row = 0; row < rows.length; ) {
      kernel.release(end)
      const out = kernel.take(room)
      row = kernel.exports.formatRows(
        ...([row, rows.length, prefixAt, prefixAt + prefix.length] as const),
        ...([placed.ids, placed.starts, rowsAt, trec ? SPACE : TAB, scoresAt] as const),
        ...([suffixAt, suffixAt + (suffix?.length ?? 0), out, out + room] as const),
      )
      const written = kernel.exports.formattedTo()
      this.#append(kernel.bytes.subarray(out, written))
      switch (kernel.exports.stopReason()) {
        case NO_COLUMN:
          checkColumnId(file, ids.get(rows[row]!))
          break
        case NO_ROOM:
          if (written === out) room *= 2
          break
        case OPEN_SCORE:
          checkScore(file, query, ids.get(rows[row]!), scores[row]!)
          this.#append(Buffer.from(single ? scores[row]!.toPrecision(9) : String(scores[row])))
          this.#append(this.#tag)
          row++
      }
    }
  }

  /** Copies the ids of a list to the memory of the kernel, unless they are there. */
  #place(list: IdList): { ids: number; starts: number } {
    if (this.#placed?.list !== list) {
      this.#kernel.release()
      const { ids, starts } = this.#kernel.placeIds(list, 0, list.length)
      this.#placed = { list, ids, starts, end: this.#kernel.end }
    }
    this.#kernel.release(this.#placed.end)
    return this.#placed
  }

  #append(bytes: Uint8Array): void {
    const end = this.#end + bytes.length
    if (end > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(end, this.#bytes.length * 2))
      larger.set(this.#bytes.subarray(0, this.#end))
      this.#bytes = larger
    }
    this.#bytes.set(bytes, this.#end)
    this.#end = end
  }
}

/** Returns the ids of a ranking as strings. */
function namesOf(ranking: RankedQuery | ListedRanking): readonly string[] {
  if (!('rows' in ranking)) return ranking.ids
  return Array.from(ranking.rows, (row) => ranking.ids.get(row))
}

/** Lists the ids of a ranking; throws if an id is no column. */
function listed(file: string, ranking: RankedQuery): ListedRanking {
  const ids = new IdList()
  for (const id of ranking.ids) {
    checkColumnId(file, id)
    ids.pushText(id)
  }
  return { ...ranking, ids, rows: ranking.ids.map((_, i) => i) }
}

function checkScore(file: string, query: string, id: string, score: number): void {
  if (Number.isFinite(score)) return
  throw new FileError(file, '', `query ${query}: the score of ${id} must be finite, got ${score}`)
}
