import { KithError, type PreparedText, type TermStatistics } from '@kith/core'
import type { Embeddings, Qrels, Run } from '@kith/ir'
import { shareTexts } from '@kith/ir/internal'
import type { TrialCollection, TrialQuery } from '@kith/tune'
import { Join } from '../join/join.ts'
import type { MissingPolicy, MissingReport } from '../join/missing.ts'
import { shareStatistics } from '../join/statistics.ts'

/** The data for tuning settings. */
export interface CollectInputs {
  run: Run
  qrels: Qrels
  queries: Embeddings
  docs: Embeddings
  /** The texts by id, once for each tokenizer to try. */
  texts?: readonly TextsById[] | undefined
  /**
   * Number of a query's first candidates to collect: the largest contextSize to try; default 100.
   */
  largest?: number | undefined
  /** The policy for queries and candidates without an embedding or text; default: error. */
  missing?: MissingPolicy | undefined
  /** Returns the group of a query, if it has one. */
  groupOf?: ((query: string) => string | undefined) | undefined
}

/** Prepared texts by the ids of queries and documents. */
export interface TextsById {
  /** The term statistics of the corpus, if known. */
  statistics?: TermStatistics | undefined
  query(id: string): PreparedText | undefined
  document(id: string): PreparedText | undefined
}

/** The judged queries, and a report of the ids that were left out. */
export interface Collected {
  collection: TrialCollection
  report: MissingReport
}

/**
 * Collects the queries that are in the run and in the judgments, with all inputs for reranking
 * them.
 *
 * ```ts
 * const collected = collect({ run, qrels, queries: docs, docs })
 * ```
 */
export function collect(inputs: CollectInputs): Collected {
  const { run, qrels, queries, docs, missing = 'error' } = inputs
  if (queries.dimensions !== docs.dimensions) {
    throw new KithError(
      'BAD_SHAPE',
      `query embeddings have ${queries.dimensions} dimensions, but document embeddings have ${docs.dimensions}; use embeddings of one model`,
    )
  }
  const gathered = new Gathered(inputs, missing)
  for (const query of run.queries) {
    const judgments = qrels.get(query)
    if (judgments) gathered.add(query, run.get(query)!.ids, judgments)
  }
  gathered.join.check()
  if (gathered.list.length === 0) {
    const examples = `the run starts with query ${run.queries[0]}, the judgments with query ${[...qrels.keys()][0]}`
    throw new KithError('BAD_INPUT', `run and judgments have no query in common: ${examples}`)
  }
  return { collection: gathered.collection(), report: gathered.join.report }
}

/** The collected queries and documents, each document once. */
class Gathered {
  readonly join: Join
  readonly list: TrialQuery[] = []
  readonly #inputs: CollectInputs
  readonly #queryRows: number[] = []
  readonly #queryIds: string[] = []
  /** The documents' numbers by row. */
  readonly #numbers = new Map<number, number>()
  readonly #docRows: number[] = []
  readonly #docIds: string[] = []

  constructor(inputs: CollectInputs, missing: MissingPolicy) {
    const { queries, docs, texts } = inputs
    this.#inputs = inputs
    // All queries come from the same files: the first query shows which texts exist.
    const first = texts?.[0]
    const present = first && {
      hasQuery: (id: string) => first.query(id) !== undefined,
      hasDocument: (id: string) => first.document(id) !== undefined,
    }
    this.join = new Join({ queries, docs, texts: present }, missing)
  }

  add(id: string, candidates: readonly string[], judgments: ReadonlyMap<string, number>): void {
    const { largest = 100, groupOf } = this.#inputs
    const row = this.join.query(id)
    if (row === undefined) return
    const { rows, places } = this.join.candidates(candidates, largest)
    const number = this.#queryRows.push(row) - 1
    this.#queryIds.push(id)
    const ideal = Float64Array.from([...judgments.values()].filter((grade) => grade >= 0))
    this.list.push({
      id,
      group: groupOf?.(id),
      row: number,
      docs: Uint32Array.from(rows, (doc, i) => this.#numberOf(doc, candidates[places[i]!]!)),
      places: Uint32Array.from(places),
      grades: Float64Array.from(candidates, (candidate) => judgments.get(candidate) ?? -1),
      ideal: ideal.sort().reverse(),
    })
  }

  collection(): TrialCollection {
    const { queries, docs, texts } = this.#inputs
    return {
      dimensions: docs.dimensions,
      list: this.list,
      queries: sharedRows(queries, this.#queryRows),
      docs: sharedRows(docs, this.#docRows),
      texts: texts?.map((own) => ({
        queries: shareTexts(this.#queryIds.map((id) => own.query(id)!)),
        docs: shareTexts(this.#docIds.map((id) => own.document(id)!)),
        statistics: shareStatistics(own.statistics),
      })),
    }
  }

  /** Returns a document's number among the collected documents. */
  #numberOf(row: number, id: string): number {
    const known = this.#numbers.get(row)
    if (known !== undefined) return known
    const number = this.#docRows.push(row) - 1
    this.#docIds.push(id)
    this.#numbers.set(row, number)
    return number
  }
}

function sharedRows(embeddings: Embeddings, rows: readonly number[]): Float32Array {
  const length = rows.length * embeddings.dimensions
  return embeddings.gather(rows, new Float32Array(new SharedArrayBuffer(length * 4)))
}
