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

/** Whether a table holds documents, not the statistics of their terms. No collection's name has a dot. */
export function isCollection(table: string): boolean {
  return !table.includes('.')
}

/** Statistics in the stored form. */
interface KeptTerms {
  version: string
  /** How many documents the collection had. */
  documents: number
  statistics: TermStatistics
}

/** Marks deleted statistics: no collection has this many documents. */
const UNKNOWN = -1

/**
 * The statistics of a collection's terms, in a table beside the documents. LanceDB has no
 * transactions over two tables: the statistics are forgotten before documents change and kept again
 * when all have changed, so that a change that was interrupted leaves none instead of wrong ones.
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
   * The statistics; undefined if there are none.
   *
   * @param documents How many documents the collection has: with another number, somebody changed
   * it without counting terms.
   */
  async read(documents: number): Promise<TermStatistics | undefined> {
    const known = await this.#latest()
    return known?.documents === documents ? known.statistics : undefined
  }

  /** The statistics of before, which may be of other documents; their tokenizer is the collection's. */
  async last(): Promise<TermStatistics | undefined> {
    return (await this.#latest())?.statistics
  }

  /** Leaves no statistics but the tokenizer's name. */
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

/** A change of documents under way. */
export interface Change {
  /** Gets the documents that come and go. */
  terms: TermChanges
  /**
   * The documents with some ids, as they are before they change; none if all texts are counted
   * anyway.
   */
  old(ids: readonly string[]): Promise<StoreDocument[]>
  /** Makes a part of the change. */
  write(writeDocuments: () => Promise<unknown>): Promise<void>
}

/** The statistics of the terms of all texts, in one pass over them. */
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
