import type { Matrix } from '@kith/core'
import type { Table } from '@lancedb/lancedb'
import { type Metric, searchExact } from '../exact/search-exact.ts'
import { type ScannedBlock, searchScanned } from '../search/scan-documents.ts'
import type { StoreDocument, StoreHits } from '../store.ts'
import { toBlock, toDocuments } from './lance-rows.ts'

/** Factor of candidates that the index returns for rescoring with their full vectors. */
const REFINE = 10

/**
 * Minimum number of queries for which an exact search reads all vectors once. LanceDB compares one
 * query after another: on 100,000 documents of 384 dimensions, three queries take as long as
 * reading all vectors.
 */
const SCANNED_QUERIES = 4

/** A search with all its settings. */
interface LanceSearch {
  top: number
  metric: Metric
  /** Whether the search uses the approximate index. */
  indexed: boolean
  filter?: string | undefined
  vectors?: boolean | undefined
}

/**
 * Finds each query's best documents.
 *
 * @param fetch Fetches documents by id, with their vectors.
 */
export async function searchLance(
  table: Table | undefined,
  queries: Matrix,
  search: LanceSearch,
  fetch: (ids: readonly string[]) => Promise<(StoreDocument | undefined)[]>,
): Promise<StoreHits[]> {
  const { dimensions, rows } = queries
  if (!table) return Array.from({ length: rows }, noHits)
  if (!search.indexed && rows >= SCANNED_QUERIES) {
    const { filter, vectors = true } = search
    const blocks = scanLance(table, { vectors: true, filter })
    const found = await searchScanned(queries, blocks, search)
    if (!vectors) return found.map((hits) => ({ ...hits, vectors: new Float32Array(0) }))
    return withVectors(found, dimensions, fetch)
  }
  const hits: StoreHits[] = []
  for (let q = 0; q < rows; q++) {
    const query = queries.data.subarray(q * dimensions, (q + 1) * dimensions)
    hits.push(await searchOne(table, query, search))
  }
  return hits
}

/** Yields all documents of a table, some thousands at a time. */
export async function* scanLance(
  table: Table,
  { vectors, filter }: { vectors: boolean; filter?: string | undefined },
): AsyncGenerator<ScannedBlock> {
  let scan = table.query().select(vectors ? ['id', 'vector'] : ['id'])
  if (filter !== undefined) scan = scan.where(filter)
  for await (const batch of scan) if (batch.numRows > 0) yield toBlock(batch)
}

/** Concatenates the vectors of documents. */
function joined(documents: readonly StoreDocument[]): Float32Array {
  const { length } = documents[0]?.vector ?? []
  const all = new Float32Array(documents.length * length)
  documents.forEach(({ vector }, i) => {
    all.set(vector, i * length)
  })
  return all
}

async function withVectors(
  found: readonly Omit<StoreHits, 'vectors'>[],
  dimensions: number,
  fetch: (ids: readonly string[]) => Promise<(StoreDocument | undefined)[]>,
): Promise<StoreHits[]> {
  const wanted = [...new Set(found.flatMap(({ ids }) => ids))]
  const documents = await fetch(wanted)
  const byId = new Map(wanted.map((id, i) => [id, documents[i]]))
  return found.map(({ ids, scores }) => {
    const vectors = new Float32Array(ids.length * dimensions)
    ids.forEach((id, i) => {
      // A document that was removed after the search found it has no vector.
      vectors.set(byId.get(id)?.vector ?? [], i * dimensions)
    })
    return { ids, scores, vectors }
  })
}

function noHits(): StoreHits {
  return { ids: [], scores: new Float32Array(0), vectors: new Float32Array(0) }
}

async function searchOne(
  table: Table,
  query: Float32Array,
  { top, metric, indexed, filter, vectors = true }: LanceSearch,
): Promise<StoreHits> {
  let search = table.query().nearestTo(query).distanceType(metric).limit(top)
  search = search.refineFactor(REFINE).select(['id', 'vector', '_distance'])
  if (!indexed) search = search.bypassVectorIndex()
  if (filter !== undefined) search = search.where(filter)
  const found = [...toDocuments(await search.toArrow())]
  // LanceDB's distance is 1 − the product, which loses digits, so the vectors are scored again.
  const data = joined(found)
  const memory = { memory: data, rows: found.length, dimensions: query.length }
  const one = { data: query, rows: 1, dimensions: query.length }
  const { rows, scores } = await searchExact(one, memory, { top, metric, workers: 0 })
  const sorted = new Float32Array(vectors ? data.length : 0)
  for (let i = 0; vectors && i < rows.length; i++) {
    sorted.set(found[rows[i]!]!.vector, i * query.length)
  }
  return { ids: Array.from(rows, (row) => found[row]!.id), scores, vectors: sorted }
}
