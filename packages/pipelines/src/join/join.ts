import type { Embeddings } from '@kith/ir'
import { type MissingPolicy, MissingReport } from './missing.ts'

/** Whether queries and documents have texts. */
export interface TextsPresent {
  hasQuery(id: string): boolean
  hasDocument(id: string): boolean
}

/** The embeddings and texts that ids are joined with. */
export interface JoinSources {
  /** Embeddings of the queries; without them a query needs none. */
  queries?: Pick<Embeddings, 'rowOf'> | undefined
  docs: Pick<Embeddings, 'rowOf'>
  /** Where the words count, every query and document needs a text too. */
  texts?: TextsPresent | undefined
}

/** Candidates that lack nothing. */
export interface JoinedCandidates {
  /** Their rows among the documents' embeddings. */
  rows: number[]
  /** Their places in the ranking, ascending. */
  places: number[]
}

/** Relevant documents that lack nothing. */
export interface JoinedTruth {
  rows: number[]
  grades: number[]
  /** How many were judged relevant, with an embedding or without. */
  judged: number
}

/**
 * The join of a run, judgements, embeddings and texts: ids in, rows out. A query or
 * document that lacks an embedding or a text is left out and noted in the report, which `check`
 * turns into an error where nothing may be missing.
 */
export class Join {
  readonly report: MissingReport
  readonly #sources: JoinSources
  readonly #missing: MissingPolicy

  /** @param report Gets the ids that lack something; joins over the same ids can share one. */
  constructor(sources: JoinSources, missing: MissingPolicy, report = new MissingReport()) {
    this.report = report
    this.#sources = sources
    this.#missing = missing
  }

  /** Throws if something was missing so far and must not be. */
  check(where = ''): void {
    this.report.check(this.#missing, where)
  }

  /** A query's row (0 where queries need no embedding); undefined where it lacks something. */
  query(id: string): number | undefined {
    const { queries, texts } = this.#sources
    const row = queries ? queries.rowOf(id) : 0
    if (row === undefined) this.report.add('queries of the run have no embedding', id)
    else if (texts && !texts.hasQuery(id)) this.report.add('queries of the run have no text', id)
    else return row
    return undefined
  }

  /** The first `limit` candidates that lack nothing. */
  candidates(ids: readonly string[], limit: number): JoinedCandidates {
    const joined: JoinedCandidates = { rows: [], places: [] }
    // Only where candidates are skipped, later ones move up into the context.
    const end = this.#missing === 'skip' ? ids.length : Math.min(limit, ids.length)
    for (let place = 0; place < end && joined.rows.length < limit; place++) {
      const row = this.#document('candidates of the run', ids[place]!)
      if (row === undefined) continue
      joined.rows.push(row)
      joined.places.push(place)
    }
    return joined
  }

  /** The documents that were judged relevant: those with a grade of `level` or more. */
  truth(judgements: ReadonlyMap<string, number> | undefined, level: number): JoinedTruth {
    const joined: JoinedTruth = { rows: [], grades: [], judged: 0 }
    for (const [id, grade] of judgements ?? []) {
      if (grade < level) continue
      joined.judged++
      const row = this.#document('judged documents', id)
      if (row === undefined) continue
      joined.rows.push(row)
      joined.grades.push(grade)
    }
    return joined
  }

  /** The rows of documents that a file names, such as those of labels. */
  documents(kind: string, ids: readonly string[]): (number | undefined)[] {
    return ids.map((id) => this.#document(kind, id))
  }

  #document(kind: string, id: string): number | undefined {
    const { docs, texts } = this.#sources
    const row = docs.rowOf(id)
    if (row === undefined) this.report.add(`${kind} have no embedding`, id)
    else if (texts && !texts.hasDocument(id)) this.report.add(`${kind} have no text`, id)
    else return row
    return undefined
  }
}
