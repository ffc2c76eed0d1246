import { KithError, type Vector } from '@kith/core'
import { refuseUnknown } from '@kith/core/internal'
import { type ArrowData, joinRows } from './arrow-rows.ts'
import { rerankerParts } from './check-arguments.ts'
import { mergeHits } from './merge-hits.ts'
import type { Fields, Reader } from './reader.ts'
import { lancedb, merged } from './readers.ts'
import { type RerankHitsOptions, rerankHits } from './rerank-hits.ts'

/** Options for reranking the results of LanceDB's hybrid queries. */
export interface LancedbRerankerOptions
  extends Fields,
    Pick<RerankHitsOptions, 'statistics' | 'settings'> {
  /** The name of the column with the text. */
  text: string
}

/**
 * The properties of an Arrow record batch that Kith reads; LanceDB declares it as Arrow's own
 * class.
 */
export interface LancedbBatch {
  readonly numRows: number
  get(row: number): object | null
}

/** A reranker in the form that LanceDB's queries accept. */
export interface LancedbReranker {
  rerankHybrid<Batch extends LancedbBatch>(
    query: string,
    vecResults: Batch,
    ftsResults: Batch,
  ): Promise<Batch>
}

/** A row of one of the two lists. */
interface Row {
  batch: LancedbBatch
  row: number
  fields: object
}

/**
 * Creates a reranker for LanceDB's hybrid queries, instead of its `RRFReranker`. Create one for
 * each query, since LanceDB passes the query's text to a reranker, but not the vector:
 *
 * ```ts
 * const rows = await table.query().nearestTo(vector).fullTextSearch(text)
 *   .rerank(lancedbReranker(vector, { text: 'body' })).limit(50).toArray()
 * ```
 *
 * The limit applies to each list, and then to the result, whose rows have their new score as
 * `_relevance_score`.
 *
 * @param vector The query's vector.
 * @param options The columns `text`, `title` and `vector`; the default column of the vector is
 * `vector`.
 */
export function lancedbReranker(vector: Vector, options: LancedbRerankerOptions): LancedbReranker {
  refuseUnknown(options ?? {}, rerankerParts)
  if (!vector || !options?.text) {
    throw new KithError(
      'BAD_INPUT',
      'lancedbReranker needs the query’s vector and the name of the text column, such as lancedbReranker(vector, { text: "body" })',
    )
  }
  const { statistics, settings, ...columns } = options
  const reader = rowReader(lancedb({ ...columns, id: '_rowid' }))
  return {
    async rerankHybrid(query, vecResults, ftsResults) {
      const batches = [vecResults, ftsResults]
      const hits = mergeHits(batches.map((batch) => ({ hits: rowsOf(batch), reader })))
      const read = { ...merged(), advice: reader.advice }
      const better = rerankHits({ vector, text: query }, hits, read, { statistics, settings })
      const rows = better.map(({ hit }) => hit.hits.find((row) => row !== undefined)!)
      const scores = better.map(({ score }) => score)
      return joinBatches(batches, rows, scores) as typeof vecResults
    },
  }
}

function rowsOf(batch: LancedbBatch): Row[] {
  return Array.from({ length: batch.numRows }, (_, row) => ({
    batch,
    row,
    fields: batch.get(row)!,
  }))
}

function rowReader({ vector, text, title, score, id, advice }: Reader<object>): Reader<Row> {
  return {
    vector: ({ fields }) => vector(fields),
    text: ({ fields }) => text?.(fields),
    title: title && (({ fields }) => title(fields)),
    score: ({ fields }) => score?.(fields),
    id: ({ fields }) => id?.(fields),
    advice,
  }
}

/**
 * The parts of Arrow's record batches that are needed to create a new one; the constructor takes
 * columns by name.
 */
interface ArrowBatch extends LancedbBatch {
  schema: { fields: readonly { name: string }[] }
  data: { children: readonly ArrowData[] }
  constructor: new (columns: Record<string, ArrowData>) => LancedbBatch
}

/**
 * Joins rows of several batches into a batch with the columns that all batches share, and the new
 * scores.
 */
function joinBatches(
  batches: readonly LancedbBatch[],
  rows: readonly Row[],
  scores: readonly number[],
): LancedbBatch {
  const columns = new Map(batches.map((batch) => [batch, columnsOf(batch as ArrowBatch)]))
  const [first, ...others] = columns.values()
  const joined = new Map<string, ArrowData>()
  for (const [name, data] of first!) {
    if (!others.every((other) => other.has(name))) continue
    const parts = rows.map(({ batch, row }) => {
      return { data: columns.get(batch)!.get(name)!, begin: row, end: row + 1 }
    })
    // An empty range of rows gives a column of the right type, even without other rows.
    joined.set(name, joinRows([{ data, begin: 0, end: 0 }, ...parts]))
  }
  // The distances in the vector list are float32, like the new scores.
  const like = first!.get('_distance')!
  const values = Float32Array.from(scores)
  joined.set('_relevance_score', like.clone(like.type, 0, rows.length, 0, [undefined, values]))
  return new (batches[0] as ArrowBatch).constructor(Object.fromEntries(joined))
}

function columnsOf({ schema, data }: ArrowBatch): Map<string, ArrowData> {
  return new Map(schema.fields.map(({ name }, i) => [name, data.children[i]!]))
}
