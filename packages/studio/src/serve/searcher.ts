import type { Matrix } from '@kith/core'
import { BatchQueue } from './batch-queue.ts'
import type { Limits } from './limits.ts'
import { unavailable } from './problem.ts'

/** The methods of a store that searching uses; stores of `@kith/stores` have them. */
export interface SearchStore {
  readonly dimensions: number | undefined
  search(
    queries: Matrix,
    options: { top: number },
  ): Promise<{ ids: string[]; vectors: Float32Array }[]>
  fetch(
    ids: readonly string[],
  ): Promise<({ title?: string | undefined; text?: string | undefined } | undefined)[]>
  close(): Promise<void>
}

/** A document that a search found. */
export interface Hit {
  id: string
  vector: Float32Array
  text: string | undefined
}

/** Queries that share one pass over the documents. */
const BATCH = 32

interface Search {
  vector: Float32Array
  top: number
}

/** Searches a store for the queries of requests, those that come at the same time together. */
export class Searcher {
  readonly #store: SearchStore
  readonly #queue: BatchQueue<Search, Hit[]>

  constructor(store: SearchStore, limits: Limits) {
    this.#store = store
    this.#queue = new BatchQueue((searches) => this.#search(searches), {
      name: 'searches',
      most: limits.requests,
      underWay: 1,
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

  /** The documents most similar to a query. */
  async search(vector: Float32Array, top: number, signal: AbortSignal): Promise<Hit[]> {
    // An empty store knows no dimensions, and queries of several make no matrix.
    if (this.#store.dimensions === undefined) return []
    const [hits] = await this.#queue.add([{ vector, top }], signal)
    return hits!
  }

  async #search(searches: Search[]): Promise<Hit[][]> {
    try {
      return await this.#find(searches)
    } catch (error) {
      // The error names the place of the documents, which the client should not learn.
      throw unavailable('the documents cannot be searched at the moment', error)
    }
  }

  async #find(searches: Search[]): Promise<Hit[][]> {
    const dimensions = searches[0]!.vector.length
    const data = new Float32Array(searches.length * dimensions)
    searches.forEach(({ vector }, i) => {
      data.set(vector, i * dimensions)
    })
    const top = Math.max(...searches.map((search) => search.top))
    const found = await this.#store.search({ data, rows: searches.length, dimensions }, { top })
    return Promise.all(
      found.map(async ({ ids, vectors }, i) => {
        const wanted = ids.slice(0, searches[i]!.top)
        const documents = await this.#store.fetch(wanted)
        return wanted.map((id, place) => {
          const { title, text } = documents[place] ?? {}
          return {
            id,
            vector: vectors.slice(place * dimensions, (place + 1) * dimensions),
            text: title && text !== undefined ? `${title} ${text}` : text,
          }
        })
      }),
    )
  }
}
