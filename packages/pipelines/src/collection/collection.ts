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

/** How a collection is searched. */
export interface CollectionSearchOptions {
  /** Documents to find; default 10, at most 1,000. */
  topN?: number | undefined
  /**
   * A function that accepts or rejects a document. Rare documents cost time: more documents are
   * read until enough are accepted.
   */
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
  /** The metadata of a document in memory. */
  metadata?: unknown
}

/** The documents that passages were cut from. */
export interface WholeDocuments {
  /** Documents in memory, by the ids of their passages. */
  documents?: ReadonlyMap<string, CollectionDocument> | undefined
  /** Reads a note of a folder by its path; undefined for any other path. */
  note?: ((path: string) => Promise<CollectionDocument | undefined>) | undefined
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
  readonly #wholes: WholeDocuments
  /** Whether the lengths of the first results were compared, or the metric was set. */
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
   * The documents that fit a text best, best first: documents with the most similar embeddings and,
   * if the documents can be searched by words, documents whose words fit best, reranked together. A
   * document in memory that was cut into passages stands where its best passage does.
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

  /** Whether results have a `relevance`, and searches take `cutoff` and `onTopic`. */
  get estimatesRelevance(): boolean {
    return this.#estimates.background !== undefined
  }

  /**
   * A document's title and whole text, a passage of a folder (`bees.md:12`), or a whole file of a
   * folder by its path in it (`bees.md`); undefined if there is none with this id.
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

  /** Ends the encoder's processes and closes the documents; may be called twice. */
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
