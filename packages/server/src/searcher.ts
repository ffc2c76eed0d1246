import type { SearchStore } from '@kith/stores/internal'
import { BatchQueue } from './batch-queue.ts'
import type { Limits } from './limits.ts'
import { unavailable } from './problem.ts'

/** A document that a search found. */
export interface Hit {
  id: string
  score: number
  /** The vector; empty if it was not requested. */
  vector: Float32Array
  title: string | undefined
  text: string | undefined
}

/** Maximum number of queries that share one pass over the documents. */
const BATCH = 32

/** A query, the number of documents to find, and whether to return their vectors. */
export interface Search {
  vector: Float32Array
  top: number
  vectors: boolean
}

/** Searches documents: a `Searcher`, or the `Searcher` of another process. */
export type DocumentSearcher = Pick<Searcher, 'dimensions' | 'search' | 'vectors' | 'textVectors'>

/** Searches a store; queries that arrive at the same time are searched together. */
export class Searcher {
  readonly #store: SearchStore
  readonly #queue: BatchQueue<Search, Hit[]>

  constructor(store: SearchStore, limits: Limits) {
    this.#store = store
    this.#queue = new BatchQueue((searches) => this.#search(searches), {
      name: 'searches',
      most: limits.requests,
      inProgress: 1,
      next: (searchAt) => {
        let size = 1
        while (size < BATCH && searchAt(size)) size++
        return size
      },
    })
  }

  get dimensions(): number | undefined {
    return this.#store.dimensions
  }

  /** Returns the documents most similar to a query. */
  async search(search: Search, signal: AbortSignal): Promise<Hit[]> {
    // An empty store has no dimensions, and queries of different dimensions do not form a matrix.
    if (this.#store.dimensions === undefined) return []
    const [hits] = await this.#queue.add([search], signal)
    return hits!
  }

  /**
   * Returns the vectors of documents that a search found; undefined for a document that was deleted
   * since.
   */
  vectors(ids: readonly string[]): Promise<(Float32Array | undefined)[]> {
    return this.#ask(async () => {
      const documents = await this.#store.fetch(ids, { vectors: true, texts: false })
      return documents.map((document) => document?.vector)
    })
  }

  /**
   * Returns the vectors of the documents with some texts; undefined for texts that no document has.
   */
  textVectors(texts: readonly string[]): Promise<(Float32Array | undefined)[]> {
    return this.#ask(
      async () => (await this.#store.textVectors?.(texts)) ?? texts.map(() => undefined),
    )
  }

  #search(searches: Search[]): Promise<Hit[][]> {
    return this.#ask(() => this.#find(searches))
  }

  async #ask<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await question()
    } catch (error) {
      // The error names the location of the documents, which the client should not see.
      throw unavailable('the documents cannot be searched at the moment; retry later', error)
    }
  }

  async #find(searches: Search[]): Promise<Hit[][]> {
    const dimensions = searches[0]!.vector.length
    const data = new Float32Array(searches.length * dimensions)
    searches.forEach(({ vector }, i) => {
      data.set(vector, i * dimensions)
    })
    const top = Math.max(...searches.map((search) => search.top))
    const vectors = searches.some((search) => search.vectors)
    const queries = { data, rows: searches.length, dimensions }
    const found = await this.#store.search(queries, { top, vectors })
    return Promise.all(
      found.map(async ({ ids, scores, vectors: own }, i) => {
        const wanted = ids.slice(0, searches[i]!.top)
        const documents = await this.#store.fetch(wanted, { vectors: false, texts: true })
        return wanted.map((id, place) => {
          return {
            id,
            score: scores[place]!,
            vector: own.slice(place * dimensions, (place + 1) * dimensions),
            title: documents[place]?.title,
            text: documents[place]?.text,
          }
        })
      }),
    )
  }
}
