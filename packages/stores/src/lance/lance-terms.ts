import {
  KithError,
  type TermStatistics,
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

/**
 * The statistics of a collection's terms, in a table beside the documents. LanceDB has no
 * transactions over two tables: the statistics are forgotten before documents change and kept again
 * when all have changed, so that a change that was interrupted leaves none instead of wrong ones.
 */
export class LanceTerms {
  readonly #arrow: Arrow
  readonly #connection: Connection
  readonly #table: string
  #known: { version: string; statistics: TermStatistics } | undefined

  constructor(arrow: Arrow, connection: Connection, collection: string) {
    this.#arrow = arrow
    this.#connection = connection
    this.#table = `${collection}.terms`
  }

  /**
   * The statistics; undefined where there are none.
   *
   * @param documents How many documents the collection has: with another number, somebody changed
   * it without counting terms.
   */
  async read(documents: number): Promise<TermStatistics | undefined> {
    if (!(await this.#exists())) return undefined
    const table = await this.#connection.openTable(this.#table)
    try {
      const [row] = await table.query().select(['version', 'documents']).toArray()
      if (row?.documents !== documents) return undefined
      if (this.#known?.version !== row.version) {
        const [whole] = await table.query().select(['version', 'statistics']).toArray()
        this.#known = { version: whole.version, statistics: this.#decode(whole.statistics) }
      }
      return this.#known!.statistics
    } finally {
      table.close()
    }
  }

  async forget(): Promise<void> {
    if (await this.#exists()) await this.#connection.dropTable(this.#table)
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
    this.#known = { version, statistics }
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
  /** The documents with some ids, as they are before they change; none where all texts are counted anyway. */
  old(ids: readonly string[]): Promise<StoreDocument[]>
  /** Makes a part of the change. */
  write(writeDocuments: () => Promise<unknown>): Promise<void>
}

/** The statistics of the terms of all texts, in one pass over them. */
export async function countTexts(documents: Table): Promise<TermStatistics> {
  const all = new TermChanges()
  for await (const batch of documents.query().select(['id', 'title', 'text'])) {
    all.add(toDocuments(batch))
  }
  return all.applyTo(noTerms)!
}

type Lance = typeof import('@lancedb/lancedb')

/** The columns whose words are searched. */
const COLUMNS = ['title', 'text']

/** Builds or renews LanceDB's index of the words of titles and texts: English stems without stop words. */
export async function indexWords({ Index }: Lance, table: Table): Promise<void> {
  for (const column of COLUMNS) {
    // Positions are for phrases, which are not searched.
    await table.createIndex(column, { config: Index.fts({ withPosition: false }) })
  }
}

/** Whether a table has that index. */
export async function areWordsIndexed(table: Table): Promise<boolean> {
  const indexed = (await table.listIndices()).flatMap(({ columns }) => columns)
  return COLUMNS.every((column) => indexed.includes(column))
}

/** The ids of the documents whose words fit a text best, by LanceDB's BM25, those not indexed yet included. */
export async function searchWords(
  { MultiMatchQuery }: Lance,
  table: Table,
  text: string,
  top: number,
): Promise<string[]> {
  const search = table.query().fullTextSearch(new MultiMatchQuery(text, COLUMNS))
  const found = await search.select(['id', '_score']).limit(top).toArrow()
  return Array.from(toDocuments(found), ({ id }) => id)
}
