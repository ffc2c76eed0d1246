import { FileError } from '@kith/base'
import { type Embeddings, type OpenEmbeddingsOptions, openEmbeddings, type Qrels } from '@kith/ir'
import { streamRankings, TextStore } from '@kith/ir/internal'
import type { StoreAddress } from '@kith/stores/address'
import { unstorable } from '@kith/stores/postgres'
import { type MissingPolicy, MissingReport } from '../join/missing.ts'
import { checkStore } from '../join/stores.ts'
import { type BatchQuery, encodeItem } from './batch-item.ts'
import type { BatchPart } from './batch-work.ts'

/** The files with the queries of a batch. */
interface BatchFiles {
  run: string
  queries: string
  queryText?: string | undefined
}

/** The rules for making items from the files. */
interface BatchRules {
  missing: MissingPolicy
  /** The judgments and the minimum grade of a relevant document, for labeling queries. */
  truth?: { qrels: Qrels; level: number } | undefined
  /** Whether the scores of the run are needed. */
  scores?: boolean
  /** Whether the items go into a database, which cannot store every id. */
  submitted?: boolean
  /** The range of positions in the run. */
  from?: number
  to?: number
}

/** Reads queries with all inputs of their jobs. */
export class BatchSource {
  readonly #files: BatchFiles
  readonly #queries: Embeddings
  readonly #texts: TextStore | undefined

  private constructor(files: BatchFiles, queries: Embeddings, texts: TextStore | undefined) {
    this.#files = files
    this.#queries = queries
    this.#texts = texts
  }

  /** Opens the files; throws if the store has no documents to compare the queries with. */
  static async open(
    files: BatchFiles &
      Pick<OpenEmbeddingsOptions, 'dimensions' | 'memory'> & { store: StoreAddress },
  ): Promise<BatchSource> {
    const { dimensions, memory } = files
    const queries = await openEmbeddings(files.queries, { dimensions, memory })
    try {
      await checkStore(files.store, queries.dimensions)
      const texts =
        files.queryText === undefined ? undefined : await TextStore.open(files.queryText)
      return new BatchSource(files, queries, texts)
    } catch (error) {
      await queries.close()
      throw error
    }
  }

  /** Yields the queries of the run, in the order of the run, encoded for jobs. */
  async *parts(rules: BatchRules): AsyncGenerator<BatchPart> {
    const { from = 0, to = Number.POSITIVE_INFINITY } = rules
    let position = -1
    for await (const { query, ids, scores } of streamRankings(this.#files.run)) {
      if (++position < from) continue
      if (position >= to) return
      const item: BatchQuery = { query, ids, vector: this.#vector(query, rules) }
      // A skipped query keeps its old ranking, so `skip` needs the scores, too.
      if (rules.scores || (rules.missing === 'skip' && !rules.truth))
        item.scores = Float64Array.from(scores)
      item.text = this.#texts?.get(query)
      if (rules.truth) item.truth = truthOf(query, rules.truth)
      if (rules.submitted) checkIds(this.#files.run, item)
      yield { query, body: encodeItem(item) }
    }
  }

  /** Yields the items in batches of this size. */
  async *batches(rules: BatchRules, size: number): AsyncGenerator<BatchPart[]> {
    let batch: BatchPart[] = []
    for await (const part of this.parts(rules)) {
      batch.push(part)
      if (batch.length < size) continue
      yield batch
      batch = []
    }
    if (batch.length > 0) yield batch
  }

  async close(): Promise<void> {
    await this.#queries.close()
    await this.#texts?.close()
  }

  /** Same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #vector(query: string, { missing, truth }: BatchRules): Float32Array | undefined {
    const row = this.#queries.rowOf(query)
    if (row !== undefined) return this.#queries.read(row, row + 1)
    // A query without ground truth is left out anyway.
    if (truth && truthOf(query, truth).length === 0) return undefined
    const report = new MissingReport()
    report.add('queries of the run have no embedding', query)
    report.check(missing, `query ${query}: `)
    return undefined
  }
}

/** Throws for ids that no store can have: the query's job would fail later, on another machine. */
function checkIds(run: string, { query, ids, truth = [] }: BatchQuery): void {
  const place = `query ${JSON.stringify(query)}`
  const flaw = unstorable(query)
  if (flaw)
    throw new FileError(
      run,
      place,
      `the query id ${flaw}, which PostgreSQL cannot store; change the id`,
    )
  for (const id of [...ids, ...truth.map(([judged]) => judged)]) {
    const problem = unstorable(id)
    if (!problem) continue
    const what = ids.includes(id) ? 'document' : 'judged document'
    const message = `the id ${JSON.stringify(id)} of a ${what} ${problem}, which PostgreSQL cannot store; change the id`
    throw new FileError(run, place, message)
  }
}

function truthOf(
  query: string,
  { qrels, level }: NonNullable<BatchRules['truth']>,
): [string, number][] {
  return [...(qrels.get(query) ?? [])].filter(([, grade]) => grade >= level)
}
