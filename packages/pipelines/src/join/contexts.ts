import { toFloats } from '@kith/base/half'
import { KithError, type Matrix } from '@kith/core'
import { type FileEmbeddings, type OpenEmbeddingsOptions, openEmbeddings } from '@kith/ir'
import {
  checkFinite,
  type EmbeddingIds,
  type IdList,
  RowCache,
  type SharedRowIds,
  type SharedRows,
  sharedRowIds,
} from '@kith/ir/internal'
import { namedError } from '../tasks/job.ts'
import type { DocumentRows } from './join.ts'

/** The vectors of queries and documents, in a form that can be sent to a worker thread. */
interface ContextSources {
  queries: VectorSource
  docs: VectorSource
}

/** The embeddings for processing a run's slices, in a form that can be sent to a worker thread. */
export interface SliceSources extends ContextSources {
  /** The ids of the rows. */
  ids: { queries: SharedRowIds; docs: SharedRowIds }
}

/** Prepares open embeddings for worker threads. */
export function sliceSources(
  files: { queries: string; docs: string },
  { queries, docs }: { queries: FileEmbeddings; docs: FileEmbeddings },
): SliceSources {
  return {
    queries: vectorSource(files.queries, queries),
    docs: vectorSource(files.docs, docs),
    ids: { queries: queries.ids.share(), docs: docs.ids.share() },
  }
}

/** The embeddings for a run's slices, open in a worker thread. */
interface OpenSlices {
  queries: EmbeddingIds
  docs: EmbeddingIds
  vectors: ContextVectors
}

/** Opens the embeddings that another thread shares. */
export function openSlices(sources: SliceSources): OpenSlices {
  return {
    queries: sharedRowIds(sources.ids.queries),
    docs: sharedRowIds(sources.ids.docs),
    vectors: new ContextVectors(sources),
  }
}

/** A query and its candidates, by row. */
export interface ContextRows {
  query: string
  row: number
  rows: Uint32Array
}

/** Reads the vectors of a query and of its candidates by row. */
export class ContextVectors {
  readonly #queries: VectorRows
  readonly #docs: VectorRows

  constructor({ queries, docs }: ContextSources) {
    this.#queries = new VectorRows(queries)
    this.#docs = new VectorRows(docs)
  }

  of({ row, rows }: Pick<ContextRows, 'row' | 'rows'>): {
    vector: Float32Array
    vectors: Matrix
  } {
    return { vector: this.#queries.row(row), vectors: this.#docs.chosen(rows) }
  }

  /**
   * Calls a function with the vectors of a task. Adds the task's query to errors of the core, and
   * the file and row to errors about a number that is not finite.
   */
  use<T>(task: ContextRows, work: (context: ReturnType<ContextVectors['of']>) => T): T {
    try {
      return work(this.of(task))
    } catch (error) {
      if (error instanceof KithError && error.code === 'BAD_VECTOR') this.#check(task)
      throw namedError(error, task)
    }
  }

  /** Throws if another program has written to a file since it was opened; call it after a slice. */
  checkUnchanged(): void {
    this.#queries.checkUnchanged()
    this.#docs.checkUnchanged()
  }

  #check({ row, rows }: ContextRows): void {
    this.#queries.check(row)
    for (const document of rows) this.#docs.check(document)
  }
}

/** Finds the rows of documents by the numbers of their ids in a list, without creating strings. */
export class ListedDocuments implements DocumentRows<number> {
  readonly #ids: EmbeddingIds
  readonly #list: IdList

  /** @param list The ids that the numbers refer to. */
  constructor(ids: EmbeddingIds, list: IdList) {
    this.#ids = ids
    this.#list = list
  }

  rowOf(id: number | string): number | undefined {
    if (typeof id === 'string') return this.#ids.rowOf(id)
    const row = this.#ids.find(this.#list, id)
    return row < 0 ? undefined : row
  }

  nameOf(id: number | string): string {
    return typeof id === 'string' ? id : this.#list.get(id)
  }
}

/** Embeddings in a form that can be sent to a worker thread. */
export interface VectorSource {
  file: string
  dimensions: number
  /** All rows, or memory for the rows that threads load. */
  rows: { memory: Float32Array | Uint16Array } | SharedRows
}

/** Describes open embeddings, so that another thread can read them. */
export function vectorSource(
  file: string,
  embeddings: Pick<FileEmbeddings, 'dimensions' | 'memory' | 'share'>,
): VectorSource {
  const { dimensions, memory } = embeddings
  return { file, dimensions, rows: memory ? { memory } : embeddings.share()! }
}

/** Rows of embeddings in memory, or of a file. */
class VectorRows {
  readonly dimensions: number
  readonly #data: Float32Array | Uint16Array
  readonly #cache: RowCache | undefined
  readonly #name: string
  #scratch = new Float32Array(0)

  constructor({ file, dimensions, rows }: VectorSource) {
    this.dimensions = dimensions
    this.#data = 'memory' in rows ? rows.memory : rows.data
    this.#cache = 'memory' in rows ? undefined : new RowCache(rows)
    this.#name = file
  }

  /** Returns a row, without a copy if it is float32 in memory. */
  row(index: number): Float32Array {
    const { data, dimensions, chosen } = this.chosen(Uint32Array.of(index))
    const at = chosen ? chosen[0]! * dimensions : 0
    return data.subarray(at, at + dimensions)
  }

  /**
   * Returns rows: as indexes into the memory if that is float32, else in a buffer that the next
   * call reuses.
   */
  chosen(indices: Uint32Array): Matrix {
    const { dimensions } = this
    const data = this.#data
    const positions = this.#cache ? this.#cache.load(indices) : indices
    if (positions && data instanceof Float32Array) {
      return { data, rows: data.length / dimensions, dimensions, chosen: positions }
    }
    const size = indices.length * dimensions
    if (this.#scratch.length < size) this.#scratch = new Float32Array(size)
    const into = this.#scratch
    if (!positions) this.#cache!.read(indices, into)
    else {
      positions.forEach((position, i) => {
        const from = position * dimensions
        toFloats((data as Uint16Array).subarray(from, from + dimensions), into, i * dimensions)
      })
    }
    return { data: into, rows: indices.length, dimensions }
  }

  checkUnchanged(): void {
    this.#cache?.checkUnchanged()
  }

  /** Throws if a row of a file contains a number that is not finite. */
  check(index: number): void {
    if (this.#name !== '')
      checkFinite({ file: this.#name, dimensions: this.dimensions }, this.row(index), index)
  }
}

/** The embeddings of queries and documents. */
export interface OpenVectors {
  queries: FileEmbeddings
  docs: FileEmbeddings
  close(): Promise<void>
  /** Same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** The files of embeddings, and options for opening them. */
type VectorFiles = { queries: string; docs: string } & OpenEmbeddingsOptions

/**
 * Size in bytes up to which embeddings are loaded whole, while all threads but this one wait. Of
 * larger files, threads load the rows that the run needs.
 */
const LOAD_AT_ONCE = 1 << 22

/**
 * Opens the embeddings for processing a run's slices. Numbers that are not finite are found when
 * rows are used.
 */
export function openSliceVectors({
  queries,
  docs,
  dimensions,
  memory,
}: Pick<VectorFiles, 'queries' | 'docs' | 'dimensions' | 'memory'>): Promise<OpenVectors> {
  const options = { dimensions, memory, checked: false, loadAtOnce: LOAD_AT_ONCE }
  return openVectors({ queries, docs, ...options })
}

/** Opens the embeddings of queries and documents; if one fails, neither stays open. */
export async function openVectors(files: VectorFiles): Promise<OpenVectors> {
  const { dimensions, memory, checked, loadAtOnce } = files
  const [queries, docs] = await openBoth(
    openEmbeddings(files.queries, { dimensions, memory, checked, loadAtOnce }),
    () => openEmbeddings(files.docs, { dimensions, memory, checked, loadAtOnce }),
  )
  const close = async (): Promise<void> => {
    await queries.close()
    await docs.close()
  }
  return { queries, docs, close, [Symbol.asyncDispose]: close }
}

/** Opens two resources; if the second fails, closes the first. */
export async function openBoth<A extends { close(): Promise<void> }, B>(
  openFirst: Promise<A>,
  openSecond: () => Promise<B>,
): Promise<[A, B]> {
  const first = await openFirst
  try {
    return [first, await openSecond()]
  } catch (error) {
    await first.close()
    throw error
  }
}
