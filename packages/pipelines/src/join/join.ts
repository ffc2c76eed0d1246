import type { PreparedText } from '@kith/core'
import type { Embeddings } from '@kith/ir'
import { type MissingPolicy, MissingReport } from './missing.ts'

/** How a document is named: by its id, or by the number of its id in a list of bytes. */
export type DocumentId = string | number

/** Whether queries and documents have texts; documents that are asked for have a row. */
export interface TextsPresent<Id extends DocumentId = string> {
  hasQuery: (id: string) => boolean
  hasDocument: (id: Id | string, row: number) => boolean
}

/** The prepared texts of queries and documents that were joined. */
export interface JoinedTexts<Id extends DocumentId = string> extends TextsPresent<Id> {
  query(id: string): PreparedText
  document(id: Id, row: number): PreparedText
}

/** The rows of documents by their ids. */
export interface DocumentRows<Id extends DocumentId = string> {
  rowOf: (id: Id | string) => number | undefined
  /** The id as a string, if it is a number. */
  nameOf?: (id: Id | string) => string
}

/** The embeddings and texts that ids are joined with. */
export interface JoinSources<Id extends DocumentId = string> {
  /** Embeddings of the queries; without them a query needs none. */
  queries?: Pick<Embeddings, 'rowOf'> | undefined
  docs: DocumentRows<Id>
  /** If words count, every query and document needs a text too. */
  texts?: TextsPresent<Id> | undefined
}

/** Candidates that lack nothing. */
interface JoinedCandidates {
  /** Rows of the candidates among the documents' embeddings. */
  rows: number[]
  /** Places of the candidates in the ranking, ascending. */
  places: number[]
}

/** Relevant documents that lack nothing. */
interface JoinedTruth {
  rows: number[]
  grades: number[]
  /** How many were judged relevant, with an embedding or without. */
  judged: number
}

/**
 * The join of a run, judgments, embeddings and texts: ids in, rows out. A query or document that
 * lacks an embedding or a text is left out and noted in the report, which `check` turns into an
 * error if nothing may be missing.
 */
export class Join<Id extends DocumentId = string> {
  readonly report: MissingReport
  readonly #sources: JoinSources<Id>
  readonly #missing: MissingPolicy

  /** @param report Gets the ids that lack something; joins over the same ids can share one. */
  constructor(sources: JoinSources<Id>, missing: MissingPolicy, report = new MissingReport()) {
    this.report = report
    this.#sources = sources
    this.#missing = missing
  }

  /** Throws if something was missing so far and must not be. */
  check(where = ''): void {
    this.report.check(this.#missing, where)
  }

  /** A query's row (0 if queries need no embedding); undefined if it lacks something. */
  query(id: string): number | undefined {
    const { queries, texts } = this.#sources
    const row = queries ? queries.rowOf(id) : 0
    if (row === undefined) this.report.add('queries of the run have no embedding', id)
    else if (texts && !texts.hasQuery(id)) this.report.add('queries of the run have no text', id)
    else return row
    return undefined
  }

  /** The first `limit` candidates that lack nothing. */
  candidates(ids: ArrayLike<Id>, limit: number): JoinedCandidates {
    const joined: JoinedCandidates = { rows: [], places: [] }
    // Only if candidates are skipped, later ones move up into the context.
    const end = this.#missing === 'skip' ? ids.length : Math.min(limit, ids.length)
    for (let place = 0; place < end && joined.rows.length < limit; place++) {
      const row = this.#document('candidates of the run', ids[place]!)
      if (row === undefined) continue
      joined.rows.push(row)
      joined.places.push(place)
    }
    return joined
  }

  /** The documents that were judged relevant: grade `level` or higher. */
  truth(judgments: ReadonlyMap<string, number> | undefined, level: number): JoinedTruth {
    const joined: JoinedTruth = { rows: [], grades: [], judged: 0 }
    for (const [id, grade] of judgments ?? []) {
      if (grade < level) continue
      joined.judged++
      const row = this.#document('judged documents', id)
      if (row === undefined) continue
      joined.rows.push(row)
      joined.grades.push(grade)
    }
    return joined
  }

  /** The rows of documents that a file names, such as a file of labels. */
  documents(kind: string, ids: readonly string[]): (number | undefined)[] {
    return ids.map((id) => this.#document(kind, id))
  }

  #document(kind: string, id: Id | string): number | undefined {
    const { docs, texts } = this.#sources
    const row = docs.rowOf(id)
    if (row !== undefined && (!texts || texts.hasDocument(id, row))) return row
    const lacks = row === undefined ? 'embedding' : 'text'
    this.report.add(`${kind} have no ${lacks}`, docs.nameOf?.(id) ?? String(id))
    return undefined
  }
}
