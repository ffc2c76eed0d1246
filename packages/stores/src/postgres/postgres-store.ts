import type {
  Background,
  BackgroundOptions,
  Matrix,
  TermStatistics,
  TokenizerName,
} from '@kith/core'
import { OpenState } from '@kith/core/internal'
import type { PoolClient } from 'pg'
import { checkedBatches, checkSearch, storableOf } from '../check-documents.ts'
import type { Metric } from '../exact/search-exact.ts'
import { keptModel, measureStore, usableBackground } from '../search/store-background.ts'
import {
  absentCollection,
  type Store,
  type StoreDocument,
  type StoreDocuments,
  type StoreFetchOptions,
  type StoreHits,
  type StoreOptions,
  type StoreSearchOptions,
} from '../store.ts'
import { changeTokenizer, TermChanges } from '../term-changes.ts'
import {
  type Connections,
  connectPostgres,
  inTransaction,
  postgresError,
} from './postgres-connection.ts'
import { addBatch, removeRows, replaceBatch } from './postgres-load.ts'
import { ANSWER_BYTES, PostgresReader } from './postgres-reader.ts'
import {
  checkName,
  type KnownCollection,
  listCollections,
  makeCollection,
  prepareSchema,
  readCollection,
  tableOf,
  textsIndexSql,
  vectorType,
} from './postgres-schema.ts'
import { searchSql, textVectorsSql, usesIndex } from './postgres-search.ts'
import {
  beginTerms,
  changeTerms,
  type KnownTerms,
  lockDocuments,
  readTermStatistics,
} from './postgres-terms.ts'
import {
  configurationIn,
  rareWords,
  searchWordsSql,
  wordsConfiguration,
  wordsIndexSql,
  wordsProblem,
} from './postgres-words.ts'

/**
 * A collection in PostgreSQL with pgvector. `postgres://…/database#name` names the collection; the
 * default name is `main`. Its table is `kith.documents_<name>`.
 */
export class PostgresStore implements Store {
  readonly #connections: Connections
  readonly #name: string
  readonly #options: StoreOptions
  readonly #state: OpenState
  #collection: KnownCollection | undefined
  /** The term statistics that were read last. */
  #terms: KnownTerms | undefined
  readonly #reader: PostgresReader

  private constructor(connections: Connections, name: string, options: StoreOptions) {
    this.#connections = connections
    this.#name = name
    this.#options = options
    this.#reader = new PostgresReader(connections, name)
    this.#state = new OpenState(`${connections.name}#${name}`)
  }

  static async open(url: string, options: StoreOptions = {}): Promise<PostgresStore> {
    const name = checkName(/#(.+)$/.exec(url)?.[1] ?? 'main')
    const connections = await connectPostgres(url)
    const store = new PostgresStore(connections, name, options)
    try {
      const { pool } = connections
      const there = await prepareSchema(connections, options)
      if (there) store.#collection = await readCollection(pool, name)
      if (!store.#collection && !options.create) {
        throw absentCollection(connections.name, name, there ? await listCollections(pool) : [])
      }
    } catch (error) {
      await connections.pool.end()
      throw postgresError(connections.name, error)
    }
    return store
  }

  get dimensions(): number | undefined {
    return this.#collection?.dimensions
  }

  get metric(): Metric {
    return this.#collection?.metric ?? this.#options.metric ?? 'dot'
  }

  async count(): Promise<number> {
    this.#state.check()
    if (!this.#collection) return 0
    const { rows } = await this.#reader.query(`SELECT count(*) FROM ${tableOf(this.#name)}`, [])
    return Number(rows[0]!['count'])
  }

  async search(queries: Matrix, options: StoreSearchOptions): Promise<StoreHits[]> {
    this.#state.check()
    const collection = this.#collection
    checkSearch(queries, options, this.dimensions)
    const hits = Array.from({ length: queries.rows }, () => ({
      ids: [] as string[],
      scores: [] as number[],
      vectors: [] as (Buffer | null)[],
    }))
    if (collection) {
      const { top, metric = collection.metric, exact = false, filter, vectors = true } = options
      const plan = { name: this.#name, collection, metric, exact, filter, vectors }
      // Number of queries per statement, so that results have a convenient size.
      const perQuery = top * (vectors ? collection.dimensions * 4 : 64)
      const step = Math.max(1, Math.floor(ANSWER_BYTES / perQuery))
      for (let from = 0; from < queries.rows; from += step) {
        const some = Array.from({ length: Math.min(step, queries.rows - from) }, (_, q) =>
          rowOf(queries, from + q),
        )
        const effort = usesIndex(plan) ? Math.min(1000, Math.max(100, 2 * top)) : undefined
        const rows = await this.#reader.read(() => searchSql(plan, some, top), effort)
        for (const [number, id, score, vector] of rows) {
          const hit = hits[from + Number(number!.readBigInt64BE()) - 1]!
          hit.ids.push(id!.toString())
          hit.scores.push(score!.readDoubleBE())
          if (vectors) hit.vectors.push(vector!)
        }
      }
    }
    return hits.map(({ ids, scores, vectors }) => ({
      ids,
      scores: Float32Array.from(scores),
      vectors: collection ? this.#reader.decode(collection, vectors) : new Float32Array(0),
    }))
  }

  async fetch(
    ids: readonly string[],
    { vectors: withVectors = true, texts = true }: StoreFetchOptions = {},
  ): Promise<(StoreDocument | undefined)[]> {
    this.#state.check()
    const found = new Map<string, StoreDocument>()
    const wanted = this.#collection ? storableOf(ids) : []
    const step = Math.max(1, Math.floor(ANSWER_BYTES / 4 / (this.dimensions ?? 1)))
    for (let from = 0; from < wanted.length; from += step) {
      const some = wanted.slice(from, from + step)
      const rows = await this.#reader.read((client) => {
        const list = some.map((id) => client.escapeLiteral(id)).join(',')
        const columns = `id, ${withVectors ? 'embedding' : 'NULL'}, ${texts ? 'title, text' : 'NULL, NULL'}`
        return `SELECT ${columns} FROM ${tableOf(this.#name)} WHERE id = ANY (ARRAY[${list}])`
      })
      // One array for all vectors: thousands of small arrays would burden the garbage collector.
      const vectors = this.#reader.decode(
        this.#collection!,
        withVectors ? rows.map(([, vector]) => vector!) : [],
      )
      const length = vectors.length / rows.length
      rows.forEach(([id, , title, text], row) => {
        const vector = vectors.subarray(row * length, (row + 1) * length)
        const document: StoreDocument = { id: id!.toString(), vector }
        if (title) document.title = title.toString()
        if (text) document.text = text.toString()
        found.set(document.id, document)
      })
    }
    return ids.map((id) => found.get(id))
  }

  async searchWords(text: string, { top }: { top: number }): Promise<string[]> {
    this.#state.check()
    const configuration = configurationIn(this.#collection?.words ?? null)
    if (configuration === undefined) return []
    const rare = rareWords(text, await this.terms())
    if (rare.length === 0) return []
    const values = [rare.map(({ word }) => word), rare.map(({ weight }) => weight), top]
    const { rows } = await this.#reader.query(searchWordsSql(this.#name, configuration), values)
    return rows.map(({ id }) => String(id))
  }

  readonly wordsProblem = async (): Promise<string | undefined> => wordsProblem(await this.terms())

  async textVectors(texts: readonly string[]): Promise<(Float32Array | undefined)[]> {
    this.#state.check()
    const wanted = this.#collection?.texts ? storableOf(texts) : []
    if (wanted.length === 0) return texts.map(() => undefined)
    const rows = await this.#reader.read((client) => {
      const list = wanted.map((text) => client.escapeLiteral(text))
      return textVectorsSql(this.#name, list)
    })
    const vectors = this.#reader.decode(
      this.#collection!,
      rows.map(([, vector]) => vector!),
    )
    const length = this.dimensions!
    const found = new Map(
      rows.map(([text], row) => [
        text!.toString(),
        vectors.subarray(row * length, (row + 1) * length),
      ]),
    )
    return texts.map((text) => found.get(text))
  }

  async terms(): Promise<TermStatistics | undefined> {
    this.#state.check()
    const { pool, name } = this.#connections
    try {
      this.#terms = await readTermStatistics(pool, this.#name, this.#terms)
    } catch (error) {
      throw postgresError(name, error)
    }
    const statistics = this.#terms?.statistics
    return statistics?.documents ? statistics : undefined
  }

  async background(): Promise<Background | undefined> {
    this.#state.check()
    if (!this.#collection) return undefined
    const [name, documents, { dimensions }] = [this.#name, await this.count(), this]
    return usableBackground(await this.#keptBackground(), { name, documents, dimensions })
  }

  async makeBackground(options: BackgroundOptions = {}): Promise<Background> {
    this.#state.check()
    const made = await measureStore(
      {
        dimensions: this.dimensions,
        count: () => this.count(),
        fetch: (ids, wanted) => this.fetch(ids, wanted),
        scan: (wanted) => this.#reader.scan(this.#collection!, wanted),
      },
      { ...options, model: options.model ?? keptModel(await this.#keptBackground()) },
    )
    await this.#reader.query(
      `INSERT INTO kith.backgrounds VALUES ($1, $2)
       ON CONFLICT (collection) DO UPDATE SET json = excluded.json`,
      [this.#name, JSON.stringify(made)],
    )
    return made
  }

  async #keptBackground(): Promise<string | undefined> {
    const sql = 'SELECT json FROM kith.backgrounds WHERE collection = $1'
    const { rows } = await this.#reader.query(sql, [this.#name])
    return rows[0] && String(rows[0]['json'])
  }

  async add(documents: StoreDocuments): Promise<void> {
    this.#state.check()
    await this.#load(documents, 'add')
  }

  async replace(documents: StoreDocuments): Promise<void> {
    this.#state.check()
    await this.#load(documents, 'replace')
  }

  async remove(ids: readonly string[]): Promise<number> {
    this.#state.check()
    if (!this.#collection) return 0
    return inTransaction(this.#connections, async (client) => {
      await lockDocuments(client, this.#name, 'replace')
      const terms = new TermChanges(await this.#changeTokenizer(client))
      const removed = await removeRows(client, this.#name, storableOf(ids), terms)
      if (removed > 0) await changeTerms(client, this.#name, terms)
      return removed
    })
  }

  /**
   * Builds an HNSW index for the collection's metric, and a full-text index if there are texts.
   * Later changes update both indexes.
   */
  async index(): Promise<void> {
    this.#state.check()
    if (!this.#collection) return
    const { type, metric } = this.#collection
    const operators = `${vectorType(type)}_${metric === 'dot' ? 'ip' : 'cosine'}_ops`
    await this.#reader.query(
      `CREATE INDEX IF NOT EXISTS documents_${this.#name}_hnsw
       ON ${tableOf(this.#name)} USING hnsw (embedding ${operators})`,
      [],
    )
    const terms = await this.terms()
    const configuration = terms && wordsConfiguration(terms.tokenizer)
    if (configurationIn(this.#collection.words) !== configuration) {
      await this.#reader.query(wordsIndexSql(this.#name, configuration), [])
    }
    await this.#reader.query(textsIndexSql(this.#name), [])
    this.#collection = await readCollection(this.#connections.pool, this.#name)
  }

  async close(): Promise<void> {
    if (this.#state.end()) await this.#connections.pool.end()
  }

  /** Same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Loads documents in one transaction; the first document creates a missing collection. */
  async #load(documents: StoreDocuments, change: 'add' | 'replace'): Promise<void> {
    const put = change === 'add' ? addBatch : replaceBatch
    const { type = 'f32', metric = 'dot' } = this.#collection ?? this.#options
    const batches = checkedBatches(documents, { dimensions: this.dimensions, type })
    let collection = this.#collection
    await inTransaction(this.#connections, async (client) => {
      await lockDocuments(client, this.#name, change)
      const terms = new TermChanges(await this.#changeTokenizer(client))
      for await (const batch of batches) {
        if (!collection) {
          const dimensions = batch[0]!.vector.length
          const isNew = await makeCollection(client, this.#name, { dimensions, type, metric })
          if (isNew) await beginTerms(client, this.#name, terms.tokenizer)
          collection = (await readCollection(client, this.#name))!
        }
        await put(client, this.#name, collection, batch, terms)
      }
      // The last step, so that other programs that add documents wait only for this step.
      if (collection) await changeTerms(client, this.#name, terms)
    })
    this.#collection = collection
  }

  /** Returns the tokenizer for counting the terms of a change. */
  async #changeTokenizer(client: PoolClient): Promise<TokenizerName> {
    if (this.#options.tokenizer !== undefined) return this.#options.tokenizer
    this.#terms = await readTermStatistics(client, this.#name, this.#terms)
    return changeTokenizer(undefined, this.#terms?.statistics)
  }
}

function rowOf({ data, dimensions }: Matrix, row: number): Float32Array {
  return data.subarray(row * dimensions, (row + 1) * dimensions)
}
