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

/** Default and maximum number of results of a search. */
const USUAL_RESULTS = 10
const MOST_RESULTS = 1000

/** Options for searching a collection. */
export interface CollectionSearchOptions {
  /** Number of documents to return; default 10, at most 1,000. */
  topN?: number | undefined
  /**
   * Accepts or rejects a document. If few documents are accepted, the search takes longer, since it
   * reads documents until enough are accepted.
   */
  filter?: ((document: CollectionDocument) => boolean) | undefined
  /**
   * `auto` keeps the documents that are worth a place in a prompt; needs a background and texts.
   */
  cutoff?: ListOptions['cutoff']
  /**
   * Minimum probability, such as 0.5, that a query is about the collection; less probable queries
   * find nothing.
   */
  onTopic?: number | undefined
  /** Aborts the search, which then throws a `KithError` with the code `ABORTED`. */
  signal?: AbortSignal | undefined
}

/** The id and texts of a document. */
export interface CollectionDocument {
  id: string
  title?: string | undefined
  text?: string | undefined
  /** The metadata of a document in memory. */
  metadata?: unknown
}

/** The whole documents of passages. */
export interface WholeDocuments {
  /** Documents in memory, by the ids of their passages. */
  documents?: ReadonlyMap<string, CollectionDocument> | undefined
  /** Reads a file of a folder by its path; undefined for any other path. */
  note?: ((path: string) => Promise<CollectionDocument | undefined>) | undefined
}

/**
 * Documents and the encoder of their embeddings, for search by text. Create it with
 * `openCollection`; `close` ends the encoder's processes.
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
  readonly #wholes: WholeDocuments
  /** Whether the vector lengths of the first results were checked, or the metric was set. */
  #lengthsChecked: boolean

  /** @internal Use `openCollection`. */
  constructor(
    store: SearchStore,
    encoder: Pick<AnyEncoder, 'encode' | 'close'>,
    settings: Settings,
    hooks: Hooks = {},
    estimates: RelevanceScale = {},
    wholes: WholeDocuments = {},
  ) {
    this.#wholes = wholes
    this.#estimates = estimates
    this.#store = store
    this.#encoder = encoder
    this.#settings = settings
    this.#reranker = new Reranker(settings)
    this.#hooks = hooks
    this.#lengthsChecked = settings.metric !== 'auto'
  }

  /**
   * Finds the documents that match a text best, best first: documents with similar embeddings and,
   * if words can be searched, documents with matching words, reranked together. A document in
   * memory that was split into passages takes the rank of its best passage.
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
    const { documents } = this.#wholes
    const query = await this.#encode(text, signal)
    const metric = searchMetric(this.#store, this.#settings)
    const candidates = await findCandidates(this.#store, query, text, {
      similar: Math.max(topN, lookedAt(this.#settings, true)),
      words: Math.max(topN, this.#settings.contextSize),
      metric,
      filter,
      cut: documents && { documents, atLeast: topN },
    })
    throwIfAborted(signal)
    if (metric === 'dot' && !this.#lengthsChecked && candidates.list.length > 1) {
      this.#lengthsChecked = true
      if (differInLength(candidates.list.map(({ vector }) => vector))) remarkLengths(this.#hooks)
    }
    const asked = { vector: query.data, text }
    const groups = documents && candidates.list.map(({ id }) => id)
    const list = { ...this.#estimates, cutoff, onTopic, groups }
    return rankCandidates(this.#reranker, this.#settings, asked, candidates, list).slice(0, topN)
  }

  /** Whether results have a `relevance`, and searches accept `cutoff` and `onTopic`. */
  get estimatesRelevance(): boolean {
    return this.#estimates.background !== undefined
  }

  /**
   * Reads a document's title and whole text, a passage of a folder (`bees.md:12`), or a whole file
   * of a folder by its path (`bees.md`); undefined if the id is unknown.
   */
  async document(id: string): Promise<CollectionDocument | undefined> {
    this.#state.check()
    const { documents, note } = this.#wholes
    if (documents) {
      const whole = documents.get(id)
      if (whole?.id !== id) return undefined
      return { id, title: whole.title, text: whole.text, metadata: whole.metadata }
    }
    const [found] = await this.#store.fetch([id], { vectors: false, texts: true })
    if (!found) return note?.(id)
    return { id, title: found.title, text: found.text, metadata: found.metadata }
  }

  /** Ends the encoder's processes and closes the documents; a second call has no effect. */
  async close(): Promise<void> {
    if (!this.#state.end()) return
    await this.#encoder.close()
    await this.#store.close()
  }

  /** Same as `close`, for `await using`. */
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
