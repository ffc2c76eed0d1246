import { type ListOptions, type Matrix, Reranker, type Settings } from '@kith/core'
import {
  abortedError,
  lookedAt,
  OpenState,
  range,
  refuseUnknown,
  throwIfAborted,
} from '@kith/core/internal'
import type { SearchStore } from '@kith/stores/internal'
import type { AnyEncoder } from '../encode/encode-texts.ts'
import type { Hooks } from '../job/hooks.ts'
import { differInLength, remarkLengths } from '../join/run-metric.ts'
import {
  type Found,
  findCandidates,
  type RelevanceScale,
  rankCandidates,
  searchMetric,
} from './candidates.ts'

/** Results of a search where nobody says how many, and the most that there can be. */
const USUAL_RESULTS = 10
const MOST_RESULTS = 1000

/** How a collection is searched. */
export interface CollectionSearchOptions {
  /** Documents to find; default 10, at most 1,000. */
  topN?: number | undefined
  /** Which documents may be found. Rare ones cost time: more documents are read until enough fit. */
  filter?: ((document: CollectionDocument) => boolean) | undefined
  /** `auto` keeps the documents that are worth a place in a prompt; needs a background and texts. */
  cutoff?: ListOptions['cutoff']
  /** Finds nothing for a query that is less probably about the collection, such as 0.5. */
  onTopic?: number | undefined
  /** Stops the search, which then throws a `KithError` with the code `ABORTED`. */
  signal?: AbortSignal | undefined
}

/** A document's texts. */
export interface CollectionDocument {
  id: string
  title?: string | undefined
  text?: string | undefined
  /** What came with a document in memory. */
  metadata?: unknown
}

/**
 * Documents and the encoder of their embeddings, to search by text. `openCollection` opens one;
 * `close` ends the encoder's processes.
 *
 * ```ts
 * const [best] = await collection.search('how do bees find flowers', { topN: 5 })
 * ```
 */
export class Collection {
  readonly #store: SearchStore
  readonly #encoder: Pick<AnyEncoder, 'encode' | 'close'>
  readonly #settings: Settings
  readonly #reranker: Reranker
  readonly #estimates: RelevanceScale
  readonly #state = new OpenState('the collection')
  readonly #hooks: Hooks
  /** Whether the lengths of the first results were compared, or the metric was set. */
  #lengthsChecked: boolean

  /** @internal Use `openCollection`. */
  constructor(
    store: SearchStore,
    encoder: Pick<AnyEncoder, 'encode' | 'close'>,
    settings: Settings,
    hooks: Hooks = {},
    estimates: RelevanceScale = {},
  ) {
    this.#estimates = estimates
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
    refuseUnknown(options, {
      part: 'option',
      known: ['topN', 'filter', 'cutoff', 'onTopic', 'signal'],
      code: 'BAD_SETTING',
    })
    const { topN = USUAL_RESULTS, filter, signal, cutoff, onTopic } = options
    range({ from: 1, to: MOST_RESULTS, integer: true })('topN', topN)
    const query = await this.#encode(text, signal)
    const metric = searchMetric(this.#store, this.#settings)
    const candidates = await findCandidates(this.#store, query, text, {
      similar: Math.max(topN, lookedAt(this.#settings, true)),
      words: Math.max(topN, this.#settings.contextSize),
      metric,
      filter,
    })
    throwIfAborted(signal)
    if (metric === 'dot' && !this.#lengthsChecked && candidates.list.length > 1) {
      this.#lengthsChecked = true
      if (differInLength(candidates.list.map(({ vector }) => vector))) remarkLengths(this.#hooks)
    }
    const asked = { vector: query.data, text }
    const list = { ...this.#estimates, cutoff, onTopic }
    return rankCandidates(this.#reranker, this.#settings, asked, candidates, list).slice(0, topN)
  }

  /** Whether results have a `relevance`, and searches take `cutoff` and `onTopic`. */
  get estimatesRelevance(): boolean {
    return this.#estimates.background !== undefined
  }

  /** A document's title and text; undefined where there is none with this id. */
  async document(id: string): Promise<CollectionDocument | undefined> {
    this.#state.check()
    const [found] = await this.#store.fetch([id], { vectors: false, texts: true })
    return found && { id, title: found.title, text: found.text, metadata: found.metadata }
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
