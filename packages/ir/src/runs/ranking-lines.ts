import { FileError, isIllFormed } from '@kith/base'
import { checkColumnId } from '../io/fields.ts'
import { IdList } from '../io/id-list.ts'
import { LineKernel } from '../io/line-kernel.ts'
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

/** Number of rows from which no further ranking is collected before the lines are formatted. */
const ROWS = 1 << 14

/** Bytes to format at a time, unless a line is longer. */
const ROOM = 1 << 17

/** The reasons why the kernel stops, see assembly/format-rankings.ts. */
const OPEN_SCORE = 1
const NO_ROOM = 2
const NO_COLUMN = 3

/** A ranking whose lines are not formatted yet: its rows are `#rows` from `first` up to `end`. */
interface Collected {
  query: string
  first: number
  end: number
  /** Whether the scores are float32: nine digits distinguish any two; a double needs all. */
  single: boolean
}

/**
 * Formats rankings as bytes of a run file, one part of the file at a time. No other module knows
 * the columns.
 */
export class RankingLines {
  readonly #form: RankingForm
  readonly #kernel = new LineKernel()
  readonly #suffix: Buffer
  /** The ids of rankings that come with strings. */
  readonly #names = new IdList()
  /** The rankings that are not formatted yet. All have ids of one list. */
  #collected: Collected[] = []
  #ids = this.#names
  #rows = new Uint32Array(1 << 12)
  #scores = new Float64Array(1 << 12)
  #count = 0
  #bytes = Buffer.alloc(1 << 16)
  #end = 0
  #first = true

  constructor(form: RankingForm, tag = 'kith') {
    this.#form = form
    this.#suffix = Buffer.from(form.format === 'trec' ? ` ${tag}\n` : '')
  }

  /** Adds a ranking. Its ids are checked when its lines are formatted. */
  add(ranking: RankedQuery | ListedRanking): void {
    const { query, scores } = ranking
    const { file, format } = this.#form
    if (format === 'json') {
      const ids = namesOf(ranking)
      for (const [rank, id] of ids.entries()) checkScore(file, query, id, scores[rank]!)
      if (!this.#first) this.#append(Buffer.from(',\n'))
      this.#append(Buffer.from(jsonRanking({ ...ranking, ids })))
    } else {
      const listed = 'rows' in ranking
      const list = listed ? ranking.ids : this.#names
      if (list !== this.#ids || this.#count >= ROWS) this.#format()
      this.#ids = list
      this.#collect(query, listed ? ranking.rows : this.#list(ranking.ids), scores)
    }
    this.#first = false
  }

  /** Returns the bytes of the rankings so far; the next rankings begin a new part. */
  take(): Uint8Array<ArrayBuffer> {
    this.#format()
    this.#first = true
    const taken = new Uint8Array(this.#end)
    taken.set(this.#bytes.subarray(0, this.#end))
    this.#end = 0
    return taken
  }

  /** Lists ids; returns their rows in the list. */
  #list(ids: readonly string[]): number[] {
    return ids.map((id) => {
      // As bytes, half a surrogate pair would become another character.
      if (isIllFormed(id)) checkColumnId(this.#form.file, id)
      this.#names.pushText(id)
      return this.#names.length - 1
    })
  }

  /** Keeps a ranking, whose lines are formatted later. */
  #collect(query: string, rows: ArrayLike<number>, scores: ArrayLike<number>): void {
    const { file, format } = this.#form
    checkColumnId(file, query, true)
    if (rows.length === 0) {
      const problem = `query ${query} has no documents, which the format ${format} cannot express; write .json`
      throw new FileError(file, '', problem)
    }
    // Lines of MS MARCO have no score, which would be checked when it is formatted.
    for (let rank = 0; format === 'msmarco' && rank < rows.length; rank++) {
      checkScore(file, query, this.#ids.get(rows[rank]!), scores[rank]!)
    }
    const first = this.#count
    const end = first + rows.length
    if (end > this.#rows.length) {
      const capacity = Math.max(end, this.#rows.length * 2)
      const [olderRows, olderScores] = [this.#rows, this.#scores]
      this.#rows = new Uint32Array(capacity)
      this.#rows.set(olderRows)
      this.#scores = new Float64Array(capacity)
      this.#scores.set(olderScores)
    }
    this.#rows.set(rows, first)
    // A loop, since a score that is missing must not keep an older value.
    for (let rank = 0; rank < rows.length; rank++) this.#scores[first + rank] = scores[rank]!
    this.#count = end
    this.#collected.push({ query, first, end, single: scores instanceof Float32Array })
  }

  /** Formats the collected rankings; throws if an id could not be read back from its column. */
  #format(): void {
    const kernel = this.#kernel
    const trec = this.#form.format === 'trec'
    const rankings = this.#collected
    if (rankings.length === 0) return
    const list = this.#ids
    kernel.release()
    const ids = kernel.placeIds(list, 0, list.length)
    const rows = kernel.placeWords(this.#rows.subarray(0, this.#count))
    const scores = kernel.placeDoubles(this.#scores.subarray(0, this.#count))
    const table = kernel.placeWords(
      rankings.flatMap(({ query, first, end, single }) => {
        const prefix = Buffer.from(trec ? `${query} Q0 ` : `${query}\t`)
        const at = kernel.place(prefix)
        return [at, at + prefix.length, first, end, Number(single)]
      }),
    )
    const suffix = kernel.place(this.#suffix)
    const suffixEnd = suffix + this.#suffix.length
    const { end } = kernel
    let [ranking, row, room] = [0, 0, ROOM]
    while (ranking < rankings.length) {
      kernel.release(end)
      const out = kernel.take(room)
      ranking = kernel.exports.formatRankings(
        ...([ranking, row, table, rankings.length, ids.ids, ids.starts, rows, scores] as const),
        ...([trec ? SPACE : TAB, suffix, suffixEnd, out, out + room] as const),
      )
      const written = kernel.exports.formattedTo()
      this.#append(kernel.bytes.subarray(out, written))
      row = kernel.exports.stoppedRow()
      switch (kernel.exports.stopReason()) {
        case NO_COLUMN:
          checkColumnId(this.#form.file, list.get(this.#rows[row]!))
          break
        case NO_ROOM:
          if (written === out) room *= 2
          break
        case OPEN_SCORE:
          this.#append(this.#scoreOf(rankings[ranking]!, row))
          this.#append(this.#suffix)
          row++
      }
    }
    this.#collected = []
    this.#count = 0
    this.#names.clear()
  }

  /** Returns the digits of a score that the kernel does not write. */
  #scoreOf({ query, single }: Collected, row: number): Buffer {
    const score = this.#scores[row]!
    checkScore(this.#form.file, query, this.#ids.get(this.#rows[row]!), score)
    return Buffer.from(single ? score.toPrecision(9) : String(score))
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

function checkScore(file: string, query: string, id: string, score: number): void {
  if (Number.isFinite(score)) return
  throw new FileError(file, '', `query ${query}: the score of ${id} must be finite, got ${score}`)
}
