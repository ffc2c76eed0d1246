import { stat } from 'node:fs/promises'
import { type Background, KithError, type Matrix } from '@kith/core'
import { OpenState } from '@kith/core/internal'
import { type Embeddings, openEmbeddings, writeEmbeddings } from '@kith/ir'
import { checkedBatches, checkSearch, twice } from '../check-documents.ts'
import { backgroundBeside } from '../search/background.ts'
import type {
  Store,
  StoreDocument,
  StoreDocuments,
  StoreFetchOptions,
  StoreHits,
  StoreOptions,
  StoreSearchOptions,
} from '../store.ts'
import { DocumentCodes } from './document-codes.ts'
import { type Metric, searchExact } from './search-exact.ts'

/** Number of rows to copy at a time when a file is rewritten. */
const COPIED_ROWS = 4096

/** Maximum bytes of rows in memory: up to this size, codes save no time. */
const SMALL = 2 ** 24
/** Files whose rows can be read by position without a copy. */
const POSITIONED = /\.(npy|safetensors|fvecs)$/i

/**
 * A file of embeddings as a store: exact search on all cores. Every change rewrites the file, so
 * use it for collections that change rarely. Texts stay in separate files.
 */
export class FileStore implements Store {
  readonly #file: string
  readonly #options: StoreOptions
  readonly #state: OpenState
  #embeddings: Embeddings | undefined
  #codes: DocumentCodes | undefined
  /** Searches that still read rows; they settle before the rows are closed. */
  readonly #searches = new Set<Promise<unknown>>()

  private constructor(file: string, options: StoreOptions) {
    this.#file = file
    this.#options = options
    this.#state = new OpenState(`the store ${file}`)
  }

  static async open(file: string, options: StoreOptions = {}): Promise<FileStore> {
    if (options.tokenizer !== undefined) {
      throw new KithError(
        'BAD_SETTING',
        `${file}: a file of embeddings keeps no texts; leave out tokenizer`,
      )
    }
    const isNew = options.create && !(await stat(file).catch(() => undefined))
    const store = new FileStore(file, options)
    if (!isNew) await store.#open()
    return store
  }

  get dimensions(): number | undefined {
    return this.#embeddings?.dimensions
  }

  get metric(): Metric {
    return this.#options.metric ?? 'dot'
  }

  async count(): Promise<number> {
    this.#state.check()
    return this.#embeddings?.rows ?? 0
  }

  async search(queries: Matrix, options: StoreSearchOptions): Promise<StoreHits[]> {
    this.#state.check()
    const search = this.#search(queries, options)
    this.#searches.add(search)
    return search.finally(() => this.#searches.delete(search))
  }

  async #search(queries: Matrix, options: StoreSearchOptions): Promise<StoreHits[]> {
    const { top, metric = this.metric, filter, vectors = true } = options
    checkSearch(queries, options, this.dimensions)
    if (filter !== undefined) {
      throw new KithError(
        'BAD_SETTING',
        'a file of embeddings supports no filter; use PostgreSQL or LanceDB',
      )
    }
    const docs = this.#embeddings
    if (!docs) return Array.from({ length: queries.rows }, noHits)
    const found = await (this.#codes?.search(queries, top, metric) ??
      searchExact(queries, docs, { top, metric }))
    return Array.from({ length: queries.rows }, (_, q) => {
      const range = [q * found.perQuery, (q + 1) * found.perQuery] as const
      const rows = found.rows.subarray(...range)
      return {
        ids: Array.from(rows, (row) => docs.idOf(row)),
        scores: found.scores.slice(...range),
        vectors: vectors ? docs.gather(rows) : new Float32Array(0),
      }
    })
  }

  async fetch(
    ids: readonly string[],
    { vectors = true }: StoreFetchOptions = {},
  ): Promise<(StoreDocument | undefined)[]> {
    this.#state.check()
    return ids.map((id) => {
      const row = this.#rowOf(id)
      if (row === undefined) return undefined
      return { id, vector: vectors ? this.#embeddings!.gather([row]) : new Float32Array(0) }
    })
  }

  /** Reads the background that `kith background` wrote beside the file. */
  async background(): Promise<Background | undefined> {
    this.#state.check()
    return this.#embeddings && backgroundBeside(this.#file, this.#embeddings)
  }

  /** Returns undefined: the texts, and so their terms, are in another file. */
  async terms(): Promise<undefined> {
    this.#state.check()
  }

  async add(documents: StoreDocuments): Promise<void> {
    this.#state.check()
    const added = await this.#collect(documents)
    for (const id of added.keys()) {
      if (this.#embeddings?.rowOf(id) !== undefined) throw twice(id)
    }
    await this.#write(added, new Set())
  }

  async replace(documents: StoreDocuments): Promise<void> {
    this.#state.check()
    await this.#write(await this.#collect(documents), new Set())
  }

  async remove(ids: readonly string[]): Promise<number> {
    this.#state.check()
    const gone = new Set(ids.filter((id) => this.#rowOf(id) !== undefined))
    if (gone.size > 0) await this.#write(new Map(), gone)
    return gone.size
  }

  async close(): Promise<void> {
    if (this.#state.end()) await this.#close(this.#embeddings)
  }

  /** Same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /**
   * Finds the row of an id. The lookup reads a lone surrogate as U+FFFD, so the found id is
   * compared.
   */
  #rowOf(id: string): number | undefined {
    const row = this.#embeddings?.rowOf(id)
    return row === undefined || this.#embeddings!.idOf(row) !== id ? undefined : row
  }

  async #collect(documents: StoreDocuments): Promise<Map<string, Float32Array>> {
    const collected = new Map<string, Float32Array>()
    const rules = { dimensions: this.dimensions, type: this.#type }
    for await (const batch of checkedBatches(documents, rules)) {
      for (const { id, vector, text } of batch) {
        if (text !== undefined) {
          throw new KithError('BAD_INPUT', `${this.#file}: a file of embeddings has no texts`)
        }
        if (collected.has(id)) throw twice(id)
        collected.set(id, vector.slice())
      }
    }
    return collected
  }

  get #type(): 'f16' | 'f32' {
    return this.#embeddings?.type ?? this.#options.type ?? 'f32'
  }

  /** Rewrites the file: old rows with their changes, without removed rows, then new rows. */
  async #write(
    changed: ReadonlyMap<string, Float32Array>,
    gone: ReadonlySet<string>,
  ): Promise<void> {
    const old = this.#embeddings
    if (changed.size === 0 && gone.size === 0) return
    const dimensions = this.dimensions ?? changed.values().next().value!.length
    const keptIds = function* (): Generator<string> {
      for (let row = 0; row < (old?.rows ?? 0); row++) {
        if (!gone.has(old!.idOf(row))) yield old!.idOf(row)
      }
    }
    const fresh = [...changed.keys()].filter((id) => old?.rowOf(id) === undefined)
    const rows = function* (): Generator<Float32Array> {
      for (let from = 0; from < (old?.rows ?? 0); from += COPIED_ROWS) {
        const to = Math.min(from + COPIED_ROWS, old!.rows)
        const block = old!.read(from, to)
        for (let row = from; row < to; row++) {
          const id = old!.idOf(row)
          if (gone.has(id)) continue
          const at = (row - from) * dimensions
          yield changed.get(id) ?? block.subarray(at, at + dimensions)
        }
      }
      for (const id of fresh) yield changed.get(id)!
    }
    const ids = function* (): Generator<string> {
      yield* keptIds()
      yield* fresh
    }
    await writeEmbeddings(this.#file, { dimensions, ids: ids(), type: this.#type }, rows())
    await this.#open()
    await this.#close(old)
  }

  /** Opens the file: in memory are all rows of a small file, else only the codes of the rows. */
  async #open(): Promise<void> {
    const file = this.#file
    let rows: Embeddings = await openEmbeddings(
      file,
      POSITIONED.test(file) ? { memory: SMALL } : {},
    )
    this.#codes = undefined
    try {
      if (!rows.memory) this.#codes = await DocumentCodes.of(rows)
    } catch (error) {
      await rows.close()
      throw error
    }
    if (!rows.memory && !this.#codes) {
      await rows.close()
      rows = await openEmbeddings(file)
    }
    this.#embeddings = rows
  }

  async #close(rows: Embeddings | undefined): Promise<void> {
    await Promise.allSettled(this.#searches)
    await rows?.close()
  }
}

function noHits(): StoreHits {
  return { ids: [], scores: new Float32Array(0), vectors: new Float32Array(0) }
}
