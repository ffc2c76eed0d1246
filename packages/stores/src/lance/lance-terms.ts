import {
  KithError,
  type TermStatistics,
  type TokenizerName,
  termStatisticsFromBytes,
  termStatisticsToBytes,
} from '@kith/core'
import type { Connection, Table } from '@lancedb/lancedb'
import type { StoreDocument } from '../store.ts'
import { noTerms, TermChanges } from '../term-changes.ts'
import { type Arrow, toDocuments } from './lance-rows.ts'

/**
 * Returns whether a table holds documents. Names of collections have no dot; the names of other
 * tables do.
 */
export function isCollection(table: string): boolean {
  return !table.includes('.')
}

/** Term statistics in the stored form. */
interface KeptTerms {
  version: string
  /** The number of documents in the collection. */
  documents: number
  statistics: TermStatistics
}

/** Marks statistics as invalid: no collection has this number of documents. */
const UNKNOWN = -1

/**
 * Stores the term statistics of a collection in a table beside the documents. LanceDB has no
 * transactions over two tables, so the statistics are invalidated before documents change and
 * written again after all changes: an interrupted change leaves no statistics instead of wrong
 * ones.
 */
export class LanceTerms {
  readonly #arrow: Arrow
  readonly #connection: Connection
  readonly #table: string
  #known: KeptTerms | undefined

  constructor(arrow: Arrow, connection: Connection, collection: string) {
    this.#arrow = arrow
    this.#connection = connection
    this.#table = `${collection}.terms`
  }

  /**
   * Reads the statistics; undefined if there are none.
   *
   * @param documents The number of documents in the collection. If the stored number differs,
   * another program changed the collection without counting terms.
   */
  async read(documents: number): Promise<TermStatistics | undefined> {
    const known = await this.#latest()
    return known?.documents === documents ? known.statistics : undefined
  }

  /**
   * Returns the last known statistics, which may be outdated; their tokenizer is the collection's.
   */
  async last(): Promise<TermStatistics | undefined> {
    return (await this.#latest())?.statistics
  }

  /** Invalidates the statistics, but keeps the tokenizer's name. */
  async forget(tokenizer: TokenizerName): Promise<void> {
    await this.keep(noTerms(tokenizer), UNKNOWN)
  }

  async keep(statistics: TermStatistics, documents: number): Promise<void> {
    const { Schema, Field, Utf8, Float64, Binary } = this.#arrow
    const schema = new Schema([
      new Field('version', new Utf8(), false),
      new Field('documents', new Float64(), false),
      new Field('statistics', new Binary(), false),
    ])
    const version = crypto.randomUUID()
    const row = { version, documents, statistics: termStatisticsToBytes(statistics) }
    const mode = (await this.#exists()) ? 'overwrite' : 'create'
    await this.#connection.createTable(this.#table, [row], { schema, mode })
    this.#known = { version, documents, statistics }
  }

  async #latest(): Promise<KeptTerms | undefined> {
    if (!(await this.#exists())) return undefined
    const table = await this.#connection.openTable(this.#table)
    try {
      const [row] = await table.query().select(['version']).toArray()
      if (this.#known?.version !== row?.version) {
        const [whole] = await table.query().toArray()
        const { version, documents, statistics } = whole
        this.#known = { version, documents, statistics: this.#decode(statistics) }
      }
      return this.#known
    } finally {
      table.close()
    }
  }

  async #exists(): Promise<boolean> {
    return (await this.#connection.tableNames()).includes(this.#table)
  }

  #decode(bytes: Uint8Array): TermStatistics {
    try {
      return termStatisticsFromBytes(bytes)
    } catch (error) {
      const { message } = error as Error
      throw new KithError(
        'BAD_INPUT',
        `the LanceDB table ${this.#table} is damaged (${message}); delete the table`,
      )
    }
  }
}

/** A running change of documents. */
export interface Change {
  /** Collects the added and removed documents. */
  terms: TermChanges
  /**
   * Reads the documents with these ids before they change; empty if all texts are counted anyway.
   */
  old(ids: readonly string[]): Promise<StoreDocument[]>
  /** Performs a part of the change. */
  write(writeDocuments: () => Promise<unknown>): Promise<void>
}

/** Counts the terms of all texts in one pass. */
export async function countTexts(
  documents: Table,
  tokenizer: TokenizerName,
): Promise<TermStatistics> {
  const all = new TermChanges(tokenizer)
  for await (const batch of documents.query().select(['id', 'title', 'text'])) {
    all.add(toDocuments(batch))
  }
  return all.added()
}
