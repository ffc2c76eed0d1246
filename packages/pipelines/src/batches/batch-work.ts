import { KithError, type TermStatistics } from '@kith/core'
import { openStore, type Store } from '@kith/stores'
import type { MissingIds } from '../join/missing.ts'
import type { LabelWork } from '../labels/label-work.ts'
import { namedError } from '../tasks/job.ts'
import { type BatchQuery, decodeItem } from './batch-item.ts'
import { labelBatch } from './batch-label.ts'
import { type RerankParts, type RerankWork, rerankBatch } from './batch-rerank.ts'

/** Approximate bytes of vectors to fetch at a time. */
const FETCHED_BYTES = 2 ** 26

/**
 * The work on a batch of queries: its kind, its settings, and the collection with its documents.
 */
export type BatchWork = { collection: string | undefined } & (
  | { kind: 'rerank'; settings: RerankWork }
  | { kind: 'labels'; settings: LabelWork }
)

/** A query of a batch and its encoded item or result. */
export interface BatchPart {
  query: string
  body: Uint8Array
}

/** The results of a batch. */
export interface BatchAnswer {
  /** The result of each query, as bytes. */
  results: BatchPart[]
  /** Queries and documents that were skipped because they lacked an embedding or a text. */
  missing: MissingIds[]
  /** Number of documents of reranked queries that were folded into others. */
  folded: number
}

/** The results of some items. */
export interface PortionAnswer {
  bodies: Buffer[]
  missing: MissingIds[]
  folded?: number
}

/** Processes batches with the stores at one address; opens each store on first use. */
export class BatchRunner {
  readonly #address: string
  readonly #parts: RerankParts
  readonly #stores = new Map<string, Promise<Store>>()

  /**
   * @param address The address of the documents, without the name of a collection.
   * @param parts The term statistics, if they differ from the store's or were read earlier.
   */
  constructor(address: string, parts: RerankParts = {}) {
    this.#address = address
    this.#parts = parts
  }

  /** Processes one batch. */
  async run(batch: BatchWork, parts: readonly BatchPart[]): Promise<BatchAnswer> {
    const store = await this.#open(batch.collection)
    const answer: BatchAnswer = { results: [], missing: [], folded: 0 }
    const statistics = await this.#statisticsFor(batch, store)
    const rerankParts = { ...this.#parts, statistics }
    for (const items of portions(parts, store.dimensions ?? 1)) {
      for (const item of items) checkVector(item, store)
      const { bodies, missing, folded = 0 } = await runPortion(store, batch, items, rerankParts)
      items.forEach(({ query }, i) => {
        answer.results.push({ query, body: bodies[i]! })
      })
      answer.missing.push(...missing)
      answer.folded += folded
    }
    return answer
  }

  async close(): Promise<void> {
    for (const store of this.#stores.values()) await (await store).close()
  }

  /** Same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #statisticsFor(
    { kind, settings }: BatchWork,
    store: Store,
  ): Promise<TermStatistics | undefined> {
    if (kind !== 'rerank' || !settings.statistics) return undefined
    const statistics = this.#parts.statistics ?? (await store.terms())
    if (statistics) return statistics
    throw new KithError(
      'BAD_INPUT',
      'the term statistics of the store are missing; run kith load again to count the terms',
    )
  }

  #open(collection: string | undefined): Promise<Store> {
    const name = collection === undefined ? '' : `#${collection}`
    const opened = this.#stores.get(name) ?? openStore(`${this.#address}${name}`)
    this.#stores.set(name, opened)
    // If a store could not be opened, the next call tries again.
    opened.catch(() => this.#stores.delete(name))
    return opened
  }
}

async function runPortion(
  store: Store,
  { kind, settings }: BatchWork,
  items: readonly BatchQuery[],
  parts: RerankParts,
): Promise<PortionAnswer> {
  try {
    return kind === 'rerank'
      ? await rerankBatch(store, settings, items, parts)
      : await labelBatch(store, settings, items)
  } catch (error) {
    // An error of several items may name no query: the items are then retried one by one.
    const [only] = items.length === 1 ? items : []
    const said = only && (error as Error).message.includes(`query ${only.query}`)
    // An error with a cause comes from the database, not from a query, so it names none.
    throw only && !said && !(error as Error).cause ? namedError(error, only) : error
  }
}

/**
 * Throws unless a query's vector has the documents' length; it may differ if the database was
 * changed.
 */
function checkVector({ query, vector }: BatchQuery, { dimensions }: Store): void {
  if (!vector || vector.length === dimensions) return
  throw new KithError(
    'BAD_SHAPE',
    `query ${query}: the query embedding has ${vector.length} dimensions, but documents in the store have ${dimensions}; use embeddings of one model`,
  )
}

/** Yields groups of items whose candidates' vectors fit into memory. */
function* portions(parts: readonly BatchPart[], dimensions: number): Generator<BatchQuery[]> {
  let portion: BatchQuery[] = []
  let bytes = 0
  for (const { query, body } of parts) {
    const item = decodeItem(query, body)
    const more = item.ids.length * dimensions * 4
    if (portion.length > 0 && bytes + more > FETCHED_BYTES) {
      yield portion
      portion = []
      bytes = 0
    }
    portion.push(item)
    bytes += more
  }
  if (portion.length > 0) yield portion
}
