import type { PreparedText } from '@kith/core'
import type { Embeddings } from '@kith/ir'
import { type MissingPolicy, MissingReport } from './missing.ts'

/** A document's id, or the number of its id in a list of bytes. */
export type DocumentId = string | number

/** Tells whether queries and documents have texts; ask only for documents that have a row. */
export interface TextsPresent<Id extends DocumentId = string> {
  hasQuery: (id: string) => boolean
  hasDocument: (id: Id | string, row: number) => boolean
}

/** The prepared texts of joined queries and documents. */
export interface JoinedTexts<Id extends DocumentId = string> extends TextsPresent<Id> {
  query(id: string): PreparedText
  document(id: Id, row: number): PreparedText
}

/** Finds the rows of documents by id. */
export interface DocumentRows<Id extends DocumentId = string> {
  rowOf: (id: Id | string) => number | undefined
  /** Returns an id as a string, if ids are numbers. */
  nameOf?: (id: Id | string) => string
}

/** The embeddings and texts to join with ids. */
export interface JoinSources<Id extends DocumentId = string> {
  /** The embeddings of the queries; if undefined, queries need no embedding. */
  queries?: Pick<Embeddings, 'rowOf'> | undefined
  docs: DocumentRows<Id>
  /** The texts; if given, every query and document needs a text, too. */
  texts?: TextsPresent<Id> | undefined
}

/** Candidates with all required data. */
interface JoinedCandidates {
  /** The candidates' rows in the documents' embeddings. */
  rows: number[]
  /** The candidates' positions in the ranking, ascending. */
  places: number[]
}

/** Relevant documents with all required data. */
interface JoinedTruth {
  rows: number[]
  grades: number[]
  /** Number of documents judged relevant, with or without an embedding. */
  judged: number
}

/**
 * Joins a run, judgments, embeddings and texts: maps ids to rows. A query or document without an
 * embedding or a text is left out and added to the report; `check` throws if nothing may be
 * missing.
 */
export class Join<Id extends DocumentId = string> {
  readonly report: MissingReport
  readonly #sources: JoinSources<Id>
  readonly #missing: MissingPolicy

  /** @param report Collects the ids with missing data; several joins can share a report. */
  constructor(sources: JoinSources<Id>, missing: MissingPolicy, report = new MissingReport()) {
    this.report = report
    this.#sources = sources
    this.#missing = missing
  }

  /** Throws if data is missing so far and the policy is `error`. */
  check(where = ''): void {
    this.report.check(this.#missing, where)
  }

  /** Returns a query's row (0 if queries need no embedding), or undefined if it lacks data. */
  query(id: string): number | undefined {
    const { queries, texts } = this.#sources
    const row = queries ? queries.rowOf(id) : 0
    if (row === undefined) this.report.add('queries of the run have no embedding', id)
    else if (texts && !texts.hasQuery(id)) this.report.add('queries of the run have no text', id)
    else return row
    return undefined
  }

  /** Returns the first `limit` candidates with all required data. */
  candidates(ids: ArrayLike<Id>, limit: number): JoinedCandidates {
    const joined: JoinedCandidates = { rows: [], places: [] }
    // Later candidates move up into the context only if candidates are skipped.
    const end = this.#missing === 'skip' ? ids.length : Math.min(limit, ids.length)
    for (let place = 0; place < end && joined.rows.length < limit; place++) {
      const row = this.#document('candidates of the run', ids[place]!)
      if (row === undefined) continue
      joined.rows.push(row)
      joined.places.push(place)
    }
    return joined
  }

  /** Returns the relevant documents: grade `level` or higher. */
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

  /** Returns the rows of documents that a file names, such as a file of labels. */
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
