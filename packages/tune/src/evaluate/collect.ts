import { KithError, type PreparedText } from '@kith/core'
import type { Embeddings, Qrels, Run } from '@kith/ir'
import { shareTexts, type TrialCollection, type TrialQuery } from './collection.ts'

/** What is tuned on. */
export interface CollectInputs {
  run: Run
  qrels: Qrels
  queries: Embeddings
  docs: Embeddings
  /** The texts by id, undefined where there is none. */
  texts?: TextsById | undefined
  /** How many of a query's first candidates may be reranked: as many as any settings' contextSize; default 100. */
  largest?: number | undefined
  /** What to do about queries and candidates without an embedding or text; default: error. */
  missing?: 'error' | 'skip' | undefined
  /** The group of a query, if it has one. */
  groupOf?: ((query: string) => string | undefined) | undefined
}

export interface TextsById {
  query(id: string): PreparedText | undefined
  document(id: string): PreparedText | undefined
}

/** A collection, and what was left out of it in words. */
export interface Collected {
  collection: TrialCollection
  remarks: string[]
}

/** Gathers the queries that both the run and the judgements have, with all that reranking them takes. */
export function collect(inputs: CollectInputs): Collected {
  const { run, qrels, queries, docs } = inputs
  if (queries.dimensions !== docs.dimensions) {
    throw new KithError(
      'BAD_SHAPE',
      `the queries have ${queries.dimensions} dimensions, the documents ${docs.dimensions}`,
    )
  }
  const gathered = new Gathered(inputs)
  for (const query of run.queries) {
    const judgements = qrels.get(query)
    if (judgements) gathered.add(query, run.get(query)!.ids, judgements)
  }
  const remarks = gathered.remarks()
  if (remarks.length > 0 && inputs.missing !== 'skip') {
    throw new KithError('BAD_INPUT', `${remarks.join('; ')} (they can be skipped)`)
  }
  if (gathered.list.length === 0) {
    const examples = `the run has ${run.queries[0]}, the judgements ${[...qrels.keys()][0]}`
    throw new KithError('BAD_INPUT', `run and judgements have no query in common: ${examples}`)
  }
  return { collection: gathered.collection(), remarks }
}

class Gathered {
  readonly list: TrialQuery[] = []
  readonly #inputs: CollectInputs
  readonly #queryRows: number[] = []
  readonly #queryTexts: PreparedText[] = []
  /** The documents' numbers by id; −1 for one that lacks something. */
  readonly #numbers = new Map<string, number>()
  readonly #docRows: number[] = []
  readonly #docTexts: PreparedText[] = []
  /** What is missing, with the ids that miss it. */
  readonly #missing = new Map<string, Set<string>>()

  constructor(inputs: CollectInputs) {
    this.#inputs = inputs
  }

  add(id: string, candidates: readonly string[], judgements: ReadonlyMap<string, number>): void {
    const { queries, texts, largest = 100, groupOf } = this.#inputs
    const row = queries.rowOf(id)
    const text = texts?.query(id)
    if (row === undefined || (texts && !text)) {
      this.#miss(`queries have no ${row === undefined ? 'embedding' : 'text'}`, id)
      return
    }
    const docs: number[] = []
    const places: number[] = []
    for (let place = 0; place < candidates.length && docs.length < largest; place++) {
      const doc = this.#numberOf(candidates[place]!)
      if (doc < 0) continue
      docs.push(doc)
      places.push(place)
    }
    const number = this.#queryRows.push(row) - 1
    if (text) this.#queryTexts.push(text)
    const ideal = Float64Array.from([...judgements.values()].filter((grade) => grade >= 0))
    this.list.push({
      id,
      group: groupOf?.(id),
      row: number,
      docs: Uint32Array.from(docs),
      places: Uint32Array.from(places),
      grades: Float64Array.from(candidates, (candidate) => judgements.get(candidate) ?? -1),
      ideal: ideal.sort().reverse(),
    })
  }

  remarks(): string[] {
    return Array.from(this.#missing, ([what, ids]) => {
      const first = [...ids].slice(0, 3).join(', ')
      return `${ids.size} ${what}: ${first}${ids.size > 3 ? ', …' : ''}`
    })
  }

  collection(): TrialCollection {
    const { queries, docs, texts } = this.#inputs
    return {
      dimensions: docs.dimensions,
      list: this.list,
      queries: sharedRows(queries, this.#queryRows),
      docs: sharedRows(docs, this.#docRows),
      texts: texts && { queries: shareTexts(this.#queryTexts), docs: shareTexts(this.#docTexts) },
    }
  }

  #numberOf(id: string): number {
    const known = this.#numbers.get(id)
    if (known !== undefined) return known
    const { docs, texts } = this.#inputs
    const row = docs.rowOf(id)
    const text = texts?.document(id)
    let number = -1
    if (row === undefined || (texts && !text)) {
      this.#miss(`candidates have no ${row === undefined ? 'embedding' : 'text'}`, id)
    } else {
      number = this.#docRows.push(row) - 1
      if (text) this.#docTexts.push(text)
    }
    this.#numbers.set(id, number)
    return number
  }

  #miss(what: string, id: string): void {
    this.#missing.set(what, (this.#missing.get(what) ?? new Set()).add(id))
  }
}

function sharedRows(embeddings: Embeddings, rows: readonly number[]): Float32Array {
  const length = rows.length * embeddings.dimensions
  return embeddings.gather(rows, new Float32Array(new SharedArrayBuffer(length * 4)))
}
