import { type Matrix, Reranker, type Settings } from '@kith/core'
import { abortedError, lookedAt, OpenState, range, throwIfAborted } from '@kith/core/internal'
import type { Encoder } from '@kith/encoder'
import type { SearchStore } from '@kith/stores/internal'
import type { Hooks } from '../job/hooks.ts'
import { differInLength, remarkLengths } from '../join/run-metric.ts'
import { type Found, findCandidates, rankCandidates, searchMetric } from './candidates.ts'

/** Results of a search where nobody says how many, and the most that there can be. */
const USUAL_RESULTS = 10
const MOST_RESULTS = 1000

/** How a collection is searched. */
export interface CollectionSearchOptions {
  /** Documents to find; default 10, at most 1,000. */
  top?: number | undefined
  /** Stops the search, which then throws a `KithError` with the code `ABORTED`. */
  signal?: AbortSignal | undefined
}

/** A document's texts. */
export interface CollectionDocument {
  id: string
  title?: string | undefined
  text?: string | undefined
}

/**
 * Documents and the encoder of their embeddings: a text finds what fits it. `openCollection` opens
 * one; `close` ends the encoder's processes.
 */
export class Collection {
  readonly #store: SearchStore
  readonly #encoder: Encoder
  readonly #settings: Settings
  readonly #reranker: Reranker
  readonly #state = new OpenState('the collection')
  readonly #hooks: Hooks
  /** Whether the lengths of the first results were compared, or the metric was set. */
  #lengthsChecked: boolean

  /** @internal Use `openCollection`. */
  constructor(store: SearchStore, encoder: Encoder, settings: Settings, hooks: Hooks = {}) {
    this.#store = store
    this.#encoder = encoder
    this.#settings = settings
    this.#reranker = new Reranker(settings)
    this.#hooks = hooks
    this.#lengthsChecked = settings.metric !== 'auto'
  }

  /**
   * The documents that fit a text best, best first: those with the most similar embeddings and,
   * where the documents can be searched by words, those whose words fit best, reranked together.
   */
  async search(text: string, options: CollectionSearchOptions = {}): Promise<Found[]> {
    this.#state.check()
    const { top = USUAL_RESULTS, signal } = options
    range({ from: 1, to: MOST_RESULTS, integer: true })('top', top)
    const query = await this.#encode(text, signal)
    const metric = searchMetric(this.#store, this.#settings)
    const candidates = await findCandidates(this.#store, query, text, {
      similar: Math.max(top, lookedAt(this.#settings, true)),
      words: Math.max(top, this.#settings.contextSize),
      metric,
    })
    throwIfAborted(signal)
    if (metric === 'dot' && !this.#lengthsChecked && candidates.list.length > 1) {
      this.#lengthsChecked = true
      if (differInLength(candidates.list.map(({ vector }) => vector))) remarkLengths(this.#hooks)
    }
    return rankCandidates(this.#reranker, { vector: query.data, text }, candidates).slice(0, top)
  }

  /** A document's title and text; undefined where there is none with this id. */
  async document(id: string): Promise<CollectionDocument | undefined> {
    this.#state.check()
    const [found] = await this.#store.fetch([id], { vectors: false, texts: true })
    return found && { id, title: found.title, text: found.text }
  }

  /** Ends the encoder's processes and closes the documents; may be called twice. */
  async close(): Promise<void> {
    if (!this.#state.end()) return
    await this.#encoder.close()
    await this.#store.close()
  }

  /** As `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #encode(text: string, signal: AbortSignal | undefined): Promise<Matrix> {
    throwIfAborted(signal)
    try {
      return await this.#encoder.encode([text], { role: 'query', signal })
    } catch (error) {
      throw signal?.aborted ? abortedError(signal) : error
    }
  }
}
