import { halfTable } from '@kith/base/half'
import { KithError, type Matrix } from '@kith/core'
import {
  type Embeddings,
  type FileEmbeddings,
  type LoadedRows,
  type OpenEmbeddingsOptions,
  openEmbeddings,
} from '@kith/ir'
import {
  checkFinite,
  type EmbeddingIds,
  type IdList,
  type SharedRowIds,
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

/**
 * Prepares open embeddings for worker threads.
 *
 * @param loaded The documents' rows, if they were loaded after opening.
 */
export function sliceSources(
  files: { queries: string; docs: string },
  { queries, docs }: { queries: FileEmbeddings; docs: FileEmbeddings },
  loaded?: LoadedRows,
): SliceSources {
  return {
    queries: vectorSource(files.queries, queries),
    docs: vectorSource(files.docs, docs, loaded),
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
export async function openSlices(sources: SliceSources): Promise<OpenSlices> {
  return {
    queries: sharedRowIds(sources.ids.queries),
    docs: sharedRowIds(sources.ids.docs),
    vectors: await ContextVectors.open(sources),
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

  private constructor(queries: VectorRows, docs: VectorRows) {
    this.#queries = queries
    this.#docs = docs
  }

  static async open({ queries, docs }: ContextSources): Promise<ContextVectors> {
    const opened = await openBoth(VectorRows.open(queries), () => VectorRows.open(docs))
    return new ContextVectors(...opened)
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

  #check({ row, rows }: ContextRows): void {
    this.#queries.check(row)
    for (const document of rows) this.#docs.check(document)
  }

  async close(): Promise<void> {
    await this.#queries.close()
    await this.#docs.close()
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
  /** The rows in shared memory; if undefined, the worker opens the file. */
  memory: Float32Array | Uint16Array | undefined
  /** The position of each row in `memory`; undefined if it has all rows. */
  positions?: Int32Array | undefined
}

/** Describes open embeddings, so that another thread can open them. */
export function vectorSource(
  file: string,
  { dimensions, memory }: Embeddings,
  loaded?: LoadedRows,
): VectorSource {
  return { file, dimensions, memory: loaded?.data ?? memory, positions: loaded?.positions }
}

/** Rows of embeddings, in memory or in a file. */
class VectorRows {
  readonly dimensions: number
  readonly #memory: Float32Array | Uint16Array | undefined
  readonly #positions: Int32Array | undefined
  readonly #file: Embeddings | undefined
  readonly #name: string
  #scratch = new Float32Array(0)

  private constructor(source: VectorSource, file: Embeddings | undefined) {
    this.dimensions = source.dimensions
    this.#memory = source.memory
    this.#positions = source.positions
    this.#file = file
    this.#name = source.file
  }

  static async open(source: VectorSource): Promise<VectorRows> {
    const { file, dimensions, memory } = source
    return new VectorRows(
      source,
      memory ? undefined : await openEmbeddings(file, { dimensions, memory: 0 }),
    )
  }

  /** Returns a row, without a copy if it is float32 in memory. */
  row(index: number): Float32Array {
    if (!this.#memory) return this.#file!.read(index, index + 1)
    const { dimensions } = this
    const at = this.#positions ? this.#positions[index]! : index
    const row = this.#memory.subarray(at * dimensions, (at + 1) * dimensions)
    return row instanceof Float32Array ? row : floatsOf(row, new Float32Array(dimensions), 0)
  }

  /**
   * Returns rows: as indexes into the memory if that is float32, else in a buffer that the next
   * call reuses.
   */
  chosen(indices: Uint32Array): Matrix {
    const { dimensions } = this
    const data = this.#memory
    const places = this.#positions ? indices.map((index) => this.#positions![index]!) : indices
    if (data instanceof Float32Array) {
      return { data, rows: data.length / dimensions, dimensions, chosen: places }
    }
    const size = indices.length * dimensions
    if (this.#scratch.length < size) this.#scratch = new Float32Array(size)
    const into = this.#scratch
    if (!data) this.#file!.gather(indices, into)
    else {
      places.forEach((index, i) => {
        const from = index * dimensions
        floatsOf(data.subarray(from, from + dimensions), into, i * dimensions)
      })
    }
    return { data: into, rows: indices.length, dimensions }
  }

  /** Throws if a row of a file contains a number that is not finite. */
  check(index: number): void {
    if (this.#name !== '')
      checkFinite({ file: this.#name, dimensions: this.dimensions }, this.row(index), index)
  }

  async close(): Promise<void> {
    await this.#file?.close()
  }
}

/** Converts half-precision numbers to float32, written from index `at` on. */
function floatsOf(halves: Uint16Array, into: Float32Array, at: number): Float32Array {
  const values = halfTable()
  for (let i = 0; i < halves.length; i++) into[at + i] = values[halves[i]!]!
  return into
}

/** The embeddings of queries and documents. */
export interface OpenVectors {
  queries: FileEmbeddings
  docs: FileEmbeddings
  close(): Promise<void>
  /** Same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Opens the embeddings of queries and documents; if one fails, neither stays open. */
export async function openVectors(
  files: { queries: string; docs: string } & OpenEmbeddingsOptions,
): Promise<OpenVectors> {
  const { dimensions, memory, checked, loadLater } = files
  const [queries, docs] = await openBoth(
    openEmbeddings(files.queries, { dimensions, memory, checked }),
    () => openEmbeddings(files.docs, { dimensions, memory, checked, loadLater }),
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
