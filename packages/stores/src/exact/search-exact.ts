import { availableParallelism } from 'node:os'
import { type KernelName, KithError, kernel, type Matrix } from '@kith/core'
import { choice, range, throwIfAborted } from '@kith/core/internal'
import { checkDocuments, DocumentReader, type DocumentSource } from '../documents.ts'
import { wasm as relaxedSimd } from '../generated/relaxed-simd.ts'
import { wasm as simd } from '../generated/simd.ts'
import { type AsyncScanner, leastRows, localScanner, slotsFor } from '../scan-blocks.ts'
import { withScanThreads } from '../scan-threads.ts'
import { checkQueries, ScanError } from './finite.ts'
import { haveCodes } from './query-codes.ts'
import type { Batch, ScannerRecipe } from './scanner.ts'
import { type Search, sampleOf, searchBatch } from './search-batch.ts'
import { bytesPerQuery } from './wasm-layout.ts'

/** The score of a document: its inner product with the query, or their cosine. */
export type Metric = 'dot' | 'cosine'

/** Options of an exact search. */
export interface ExactSearchOptions {
  /** Number of documents to return per query. */
  top: number
  /** Default: 'dot'. */
  metric?: Metric
  /**
   * Number of worker threads; 0 searches in the caller's thread. Default: one per core, none for a
   * search of a few milliseconds. The result does not depend on the number.
   */
  workers?: number
  /** Called with the number of finished documents and the total, summed over all passes. */
  onProgress?: (done: number, total: number) => void
  /** Aborts the search, which then rejects with the signal's reason. */
  signal?: AbortSignal
  /** @internal Set by tests. */
  kernel?: KernelName
  /** @internal Whether to use codes; set by tests and the benchmark. */
  codes?: boolean
}

/** The best documents of each query. */
export interface ExactSearchResult {
  /** Query q's document rows, starting at q · perQuery: best first, ties by ascending row. */
  rows: Uint32Array
  /** The scores of these documents. */
  scores: Float32Array
  /** Number of documents per query: `top`, or the number of all documents if that is smaller. */
  perQuery: number
}

/** Below this many multiplications, starting a worker takes longer than the search. */
const SMALL_WORK = 2 ** 29
/** The minimum number of queries for which codes of documents save time. */
const CODED_QUERIES = 64
/** Maximum kernel memory of one scanner; more queries than fit need further passes. */
const SCANNER_BYTES = 2 ** 28

/**
 * Finds each query's best documents by comparing the query with every document.
 *
 * A batch of queries shares each pass over the documents, which worker threads divide. Scores are
 * float32 sums in one fixed order per pair, so results are bit-identical for any number of workers,
 * in memory or from a file.
 *
 * ```ts
 * const { rows, scores, perQuery } = await searchExact(queries, documents, { top: 100 })
 * ```
 */
export async function searchExact(
  queries: Matrix,
  documents: DocumentSource,
  options: ExactSearchOptions,
): Promise<ExactSearchResult> {
  check(queries, documents, options)
  const { signal } = options
  throwIfAborted(signal)
  const perQuery = Math.min(options.top, documents.rows)
  const result: ExactSearchResult = {
    rows: new Uint32Array(queries.rows * perQuery),
    scores: new Float32Array(queries.rows * perQuery),
    perQuery,
  }
  if (result.rows.length === 0) return result
  const searchWith = (scanners: AsyncScanner[], reader: DocumentReader) =>
    searchAll(queries, reader, scanners, options, result)
  try {
    checkQueries(queries)
    const recipe = recipeFor(options.kernel ?? kernel())
    const workers = options.workers ?? defaultWorkers(queries, documents)
    const reader = new DocumentReader(documents, workers > 0)
    if (workers === 0) await searchWith([localScanner(recipe)], reader)
    else {
      const blocks = Math.ceil(reader.rows / leastRows(reader.dimensions))
      await withScanThreads(Math.min(workers, blocks), recipe, signal, (scanners) =>
        searchWith(scanners, reader),
      )
    }
    return result
  } catch (error) {
    // After an abort, other failures are consequences of the abort, so the abort is reported.
    throwIfAborted(signal)
    throw error instanceof ScanError ? new KithError(error.code, error.message) : error
  }
}

/** Searches one batch of queries after another, each in one pass over all documents. */
async function searchAll(
  queries: Matrix,
  reader: DocumentReader,
  scanners: AsyncScanner[],
  options: ExactSearchOptions,
  result: ExactSearchResult,
): Promise<void> {
  const { metric, onProgress, signal } = options
  const codes = (options.codes ?? areWorthwhile(queries, options)) && haveCodes(queries)
  const { data, rows, dimensions } = queries
  const top = result.perQuery
  const fitting = Math.max(1, Math.floor(SCANNER_BYTES / bytesPerQuery(dimensions, top)))
  const step = Math.ceil(rows / Math.ceil(rows / fitting))
  const passes = Math.ceil(rows / step)
  let done = 0
  const search: Search = {
    scanners,
    reader,
    slots: slotsFor(scanners, reader),
    sample: codes ? await sampleOf(reader) : undefined,
    onBlock(count) {
      done += count
      throwIfAborted(signal)
      if (count > 0) onProgress?.(done, reader.rows * passes)
    },
  }
  for (let from = 0; from < rows; from += step) {
    const to = Math.min(from + step, rows)
    const batch: Batch = {
      queries: {
        data: data.slice(from * dimensions, to * dimensions),
        rows: to - from,
        dimensions,
      },
      firstQuery: from,
      top,
      cosine: metric === 'cosine',
      codes,
      thresholds: undefined,
    }
    const part = [from * top, to * top] as const
    await searchBatch(search, batch, result.rows.subarray(...part), result.scores.subarray(...part))
  }
}

/** Returns whether codes make a search faster; they never change its result. */
function areWorthwhile({ rows }: Matrix, options: ExactSearchOptions): boolean {
  return (options.kernel ?? kernel()) === 'relaxed-simd' && rows >= CODED_QUERIES
}

function check(queries: Matrix, documents: DocumentSource, options: ExactSearchOptions): void {
  const { top, metric = 'dot', workers = 0 } = options
  const count = range({ from: 0, integer: true })
  count('top', top)
  count('workers', workers)
  choice('dot', 'cosine')('metric', metric)
  if (queries.data.length < queries.rows * queries.dimensions) {
    throw new KithError(
      'BAD_SHAPE',
      `${queries.rows} queries of ${queries.dimensions} dimensions need ${queries.rows * queries.dimensions} numbers, but data has ${queries.data.length}`,
    )
  }
  checkDocuments(documents)
  if (queries.rows === 0 || documents.rows === 0) return
  if (queries.dimensions !== documents.dimensions || queries.dimensions < 1) {
    throw new KithError(
      'BAD_SHAPE',
      `queries have ${queries.dimensions} dimensions, but documents have ${documents.dimensions}`,
    )
  }
}

function defaultWorkers(queries: Matrix, documents: DocumentSource): number {
  const work = queries.rows * documents.rows * documents.dimensions
  return work < SMALL_WORK ? 0 : availableParallelism()
}

const modules = new Map<KernelName, WebAssembly.Module>()

/** Returns the recipe of a kernel's scanner, compiled here so that all workers share the code. */
export function recipeFor(kernel: KernelName): ScannerRecipe {
  return { module: kernel === 'typescript' ? undefined : moduleOf(kernel) }
}

/**
 * Returns the compiled code of a kernel. `kernel()` of @kith/core decides whether this machine can
 * run it, and has already set the flag that Node 20 needs.
 */
function moduleOf(kernel: Exclude<KernelName, 'typescript'>): WebAssembly.Module {
  let module = modules.get(kernel)
  if (!module) {
    const bytes = Buffer.from(kernel === 'simd' ? simd : relaxedSimd, 'hex')
    if (!WebAssembly.validate(bytes)) {
      throw new KithError('BAD_SETTING', `the kernel ${kernel} does not run on this machine`)
    }
    module = new WebAssembly.Module(bytes)
    modules.set(kernel, module)
  }
  return module
}
