import { KithError } from '@kith/core'
import { type OpenEmbeddingsOptions, openEmbeddings, type RankedQuery, writeRun } from '@kith/ir'
import { type DocumentColumns, writeRunParquet } from '@kith/ir/internal'
import { type Metric, openStore, type Store, searchExact } from '@kith/stores'
import { type StoreAddress, storeName, wholeAddress } from '@kith/stores/address'
import { writeSidecar } from '../files/sidecar.ts'
import { type Hooks, stageOf } from '../job/hooks.ts'
import { jobDefaults } from '../job/job-defaults.ts'
import { openVectors } from '../join/contexts.ts'
import { type DocumentPlace, placeOf } from '../join/place.ts'
import { differInLength, documentsDiffer, remarkLengths } from '../join/run-metric.ts'
import {
  type ColumnInputs,
  checkColumns,
  columnsOfFiles,
  type DocumentColumn,
  StoreColumns,
} from './document-columns.ts'
import { type Bm25Inputs, searchBm25 } from './search-bm25.ts'

export type { Bm25Inputs, ColumnInputs, DocumentColumn }

/** The inputs of a search. */
export interface SearchInputs extends DocumentPlace, OpenEmbeddingsOptions, ColumnInputs {
  /** The embeddings of the queries. */
  queries: string
  /** Number of documents per query; default 200. */
  top?: number | undefined
  /** The metric. Default: the inner product, or the metric that the store was loaded for. */
  metric?: Metric | undefined
  /** Compares each query with every document of a store even if it has an index. */
  exact?: boolean | undefined
  /** An SQL condition that the documents of a store must meet. */
  filter?: string | undefined
  /** Number of threads; the result does not depend on it. */
  workers?: number | undefined
}

/** The result of a search. */
export interface SearchResult {
  out: string
  queries: number
  documents: number
  /** Number of documents per query; an upper limit for stores and BM25. */
  perQuery: number
  seconds: number
}

/** Inputs with the number of documents per query. */
interface SearchPlan extends SearchInputs {
  top: number
}

/**
 * Searches the most similar documents of each query and writes them as a run: exact search in
 * files, the store's own search in a store, BM25 with `bm25`.
 *
 * ```ts
 * await searchRun({ queries: 'queries.npy', docs: 'docs.npy', out: 'run.trec', top: 100 })
 * ```
 */
export async function searchRun(
  inputs: SearchInputs | Bm25Inputs,
  hooks: Hooks = {},
): Promise<SearchResult> {
  if ('bm25' in inputs) {
    checkColumns(inputs, ['text'])
    const found = await searchBm25(inputs, hooks)
    if (found) return found
    const problem = `${inputs.corpus} is too large for a BM25 index in memory`
    throw new KithError('OUT_OF_MEMORY', `${problem}: load it into a store with an index`)
  }
  const plan = { ...inputs, top: inputs.top ?? jobDefaults.top }
  const place = placeOf(inputs)
  checkColumns(inputs, ['vector', ...('store' in place || inputs.corpus ? ['text'] : [])])
  if ('store' in place) return searchStore({ ...plan, store: place.store }, hooks)
  if (inputs.filter !== undefined) {
    throw new KithError(
      'BAD_INPUT',
      'filter works only with a store; pass store or leave out filter',
    )
  }
  return searchFiles({ ...plan, docs: place.docs }, hooks)
}

/** Searches a file exactly for the documents most similar to each query, and writes a run. */
async function searchFiles(
  plan: SearchPlan & { docs: string },
  hooks: Hooks,
): Promise<SearchResult> {
  const { out, top, metric = 'dot', workers, columns, corpus } = plan
  const { queries, docs, close } = await openVectors(plan)
  let columnsOf: Awaited<ReturnType<typeof columnsOfFiles>> | undefined
  try {
    if (plan.metric === undefined && documentsDiffer(docs)) remarkLengths(hooks)
    const start = performance.now()
    const matrix = {
      data: queries.read(0, queries.rows),
      rows: queries.rows,
      dimensions: queries.dimensions,
    }
    const onDone = stageOf(hooks, 'searching', docs.rows)
    const found = await searchExact(matrix, docs, {
      top,
      metric,
      ...(workers === undefined ? {} : { workers }),
      onProgress: (done) => onDone(done),
    })
    const seconds = (performance.now() - start) / 1000
    const rankings = function* (): Generator<RankedQuery> {
      for (let q = 0; q < queries.rows; q++) {
        const from = q * found.perQuery
        const ids: string[] = []
        for (let i = 0; i < found.perQuery; i++) ids.push(docs.idOf(found.rows[from + i]!))
        const scores = found.scores.subarray(from, from + found.perQuery)
        yield { query: queries.idOf(q), ids, scores }
      }
    }
    if (columns) columnsOf = await columnsOfFiles(plan, docs)
    await writeFound(out, rankings(), columnsOf)
    const inputs = [plan.queries, plan.docs, ...(corpus === undefined ? [] : [corpus])]
    await writeSidecar(out, 'search', { top, metric, columns }, inputs)
    return { out, queries: queries.rows, documents: docs.rows, perQuery: found.perQuery, seconds }
  } finally {
    await columnsOf?.close()
    await close()
  }
}

/** Writes a run; a Parquet run includes the columns of documents, if any. */
function writeFound(
  out: string,
  rankings: Iterable<RankedQuery> | AsyncIterable<RankedQuery>,
  columns: DocumentColumns | undefined,
): Promise<void> {
  return columns ? writeRunParquet(out, rankings, columns) : writeRun(out, rankings)
}

/** Number of queries to search at a time. */
const BATCH = 64

/** Searches a store for the documents most similar to each query, and writes a run. */
async function searchStore(
  plan: Omit<SearchPlan, 'store'> & { store: StoreAddress },
  hooks: Hooks,
): Promise<SearchResult> {
  const { out, top, metric, exact = false, filter, dimensions, memory } = plan
  const queries = await openEmbeddings(plan.queries, { dimensions, memory })
  let store: Store | undefined
  try {
    store = await openStore(wholeAddress(plan.store))
    const opened = store
    const columns = plan.columns && new StoreColumns(opened, plan)
    const documents = await opened.count()
    const start = performance.now()
    const onDone = stageOf(hooks, 'searching', queries.rows)
    const rankings = async function* (): AsyncGenerator<RankedQuery> {
      for (let from = 0; from < queries.rows; from += BATCH) {
        const to = Math.min(from + BATCH, queries.rows)
        const matrix = {
          data: queries.read(from, to),
          rows: to - from,
          dimensions: queries.dimensions,
        }
        const hits = await opened.search(matrix, { top, metric, exact, filter, vectors: false })
        if (from === 0 && metric === undefined)
          await remarkStoreLengths(opened, hits[0]!.ids, hooks)
        for (const [q, { ids, scores }] of hits.entries()) {
          await columns?.fetch(ids)
          yield { query: queries.idOf(from + q), ids, scores }
        }
        onDone(to)
      }
    }
    await writeFound(out, rankings(), columns?.columns)
    const seconds = (performance.now() - start) / 1000
    const settings = {
      top,
      metric: metric ?? store.metric,
      exact,
      filter,
      columns: plan.columns,
      store: storeName(plan.store),
    }
    await writeSidecar(out, 'search', settings, [plan.queries])
    return { out, queries: queries.rows, documents, perQuery: top, seconds }
  } finally {
    await queries.close()
    await store?.close()
  }
}

/** Reports if a store that was loaded for inner products found documents of different lengths. */
async function remarkStoreLengths(
  store: Store,
  ids: readonly string[],
  hooks: Hooks,
): Promise<void> {
  if (store.metric !== 'dot') return
  const found = await store.fetch(ids, { texts: false })
  const vectors = found.flatMap((document) => (document ? [document.vector] : []))
  if (differInLength(vectors)) remarkLengths(hooks)
}
