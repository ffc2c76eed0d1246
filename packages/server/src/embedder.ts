import { createHash } from 'node:crypto'
import { KithError, type KithErrorCode } from '@kith/core'
import type { Role } from '@kith/encoder'
import { LRUCache } from 'lru-cache'
import { BatchQueue, type BatchRules } from './batch-queue.ts'
import type { Limits } from './limits.ts'
import { unavailable } from './problem.ts'
import type { EmbeddedText, TextModel } from './text-model.ts'

/**
 * Maximum number of texts and characters per batch. Tokenizing a batch blocks all other requests
 * for about a millisecond per thousand characters; larger batches are not faster.
 */
export const BATCH_TEXTS = 16
const BATCH_CHARACTERS = 8000

/**
 * Errors of the encoder's process or files, after which the same text may be encoded successfully.
 */
const passing: ReadonlySet<KithErrorCode> = new Set(['OUT_OF_MEMORY', 'WORKER_DIED', 'BAD_FILE'])

/** Callbacks for an embedder's batches and cache. */
export interface EmbedderEvents {
  onBatch(texts: number): void
  onLookup(hits: number, misses: number): void
}

/** Embeds texts: an `Embedder`, or the `Embedder` of another process. */
export type TextEmbedder = Pick<Embedder, 'name' | 'dimensions' | 'maxTokens' | 'embed'>

/**
 * Embeds texts, from a cache or with the encoder, in batches that combine the texts of several
 * requests.
 */
export class Embedder {
  readonly name: string
  readonly dimensions: number
  readonly maxTokens: number
  readonly #model: TextModel
  readonly #cache: EmbeddingCache
  readonly #queues: Record<Role, BatchQueue<string, EmbeddedText>>
  readonly #events: EmbedderEvents

  /** @param model The model; `close` closes it, too. */
  constructor(model: TextModel, limits: Limits, events: EmbedderEvents) {
    this.name = model.name
    this.dimensions = model.dimensions
    this.maxTokens = model.maxTokens
    this.#model = model
    this.#events = events
    this.#cache = new EmbeddingCache(limits.cache)
    const rules: BatchRules<string> = {
      name: 'texts',
      most: limits.queue,
      inProgress: 2,
      next: batchSize,
      onBatch: (texts) => events.onBatch(texts),
    }
    // The roles have different prefixes and so need separate batches; queries also need not wait
    // for documents.
    this.#queues = {
      query: new BatchQueue((texts) => this.#encode(texts, 'query'), rules),
      document: new BatchQueue((texts) => this.#encode(texts, 'document'), rules),
    }
  }

  /** The number of texts that wait for the encoder. */
  get waiting(): number {
    return this.#queues.query.length + this.#queues.document.length
  }

  /** The number of texts in the cache. */
  get cached(): number {
    return this.#cache.size
  }

  /** Returns the embeddings of some texts. */
  async embed(texts: readonly string[], role: Role, signal: AbortSignal): Promise<EmbeddedText[]> {
    const keys = texts.map((text) => keyOf(text, role))
    const found = new Map<string, EmbeddedText>()
    const missing = new Map<string, string>()
    keys.forEach((key, i) => {
      const known = this.#cache.get(key)
      if (known) found.set(key, known)
      else missing.set(key, texts[i]!)
    })
    this.#events.onLookup(found.size, missing.size)
    const made = await this.#queues[role].add([...missing.values()], signal)
    let next = 0
    for (const key of missing.keys()) {
      const entry = made[next++]!
      this.#cache.set(key, entry)
      found.set(key, entry)
    }
    return keys.map((key) => found.get(key)!)
  }

  async close(): Promise<void> {
    await this.#model.close()
  }

  /** Does the same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #encode(texts: string[], role: Role): Promise<EmbeddedText[]> {
    try {
      return await this.#model.embed(texts, role)
    } catch (error) {
      if (!(error instanceof KithError && passing.has(error.code))) throw error
      // The encoder starts a new process for the next texts.
      throw unavailable('the encoder stopped and is starting again; retry later', error)
    }
  }
}

function batchSize(textAt: (place: number) => string | undefined): number {
  let characters = textAt(0)!.length
  let size = 1
  for (; size < BATCH_TEXTS; size++) {
    const text = textAt(size)
    if (text === undefined || characters + text.length > BATCH_CHARACTERS) break
    characters += text.length
  }
  return size
}

/** Bytes per cache entry besides its vector: objects, key, and map entry. */
const OVERHEAD = 400

/** Caches embeddings by role and text; evicts the least recently used entries. */
export class EmbeddingCache {
  readonly #entries: LRUCache<string, EmbeddedText> | undefined

  /** @param most Maximum size in bytes; 0 disables the cache. */
  constructor(most: number) {
    const maxSize = Math.floor(most)
    if (maxSize > 0) this.#entries = new LRUCache({ maxSize, sizeCalculation: bytesOf })
  }

  get size(): number {
    return this.#entries?.size ?? 0
  }

  get(key: string): EmbeddedText | undefined {
    return this.#entries?.get(key)
  }

  set(key: string, entry: EmbeddedText): void {
    this.#entries?.set(key, entry)
  }
}

/** Returns the cache key of a text: a hash, so that long texts are not kept. */
export function keyOf(text: string, role: Role): string {
  return createHash('sha256').update(role).update('\0').update(text).digest('base64')
}

function bytesOf({ vector }: EmbeddedText): number {
  return vector.byteLength + OVERHEAD
}
