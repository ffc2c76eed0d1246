import {
  type Background,
  type BackgroundOptions,
  KithError,
  type Matrix,
  type TermStatistics,
} from '@kith/core'
import { OpenState } from '@kith/core/internal'
import type { Connection, Table } from '@lancedb/lancedb'
import { checkedBatches, checkSearch, twice } from '../check-documents.ts'
import type { Metric } from '../exact/search-exact.ts'
import { keptModel, measureStore, usableBackground } from '../search/store-background.ts'
import {
  absentCollection,
  optionalPeer,
  type Store,
  type StoreDocument,
  type StoreDocuments,
  type StoreFetchOptions,
  type StoreHits,
  type StoreOptions,
  type StoreSearchOptions,
} from '../store.ts'
import { changeTokenizer, noTerms, TermChanges } from '../term-changes.ts'
import { LanceBackground } from './lance-background.ts'
import { checkFolder, lanceError, readLanceAddress, withLanceErrors } from './lance-error.ts'
import {
  type Arrow,
  findTexts,
  HASH,
  idConditions,
  loadArrow,
  metricIn,
  type RowForm,
  schemaOf,
  toDocuments,
  toTable,
} from './lance-rows.ts'
import { scanLance, searchLance } from './lance-search.ts'
import { type Change, countTexts, isCollection, LanceTerms } from './lance-terms.ts'
import { areWordsIndexed, indexWords, searchWords } from './lance-words.ts'

type Lance = typeof import('@lancedb/lancedb')

/** Minimum number of documents for an approximate index: fewer are too few to train it. */
const LEAST_INDEXED = 5000

/**
 * A collection in LanceDB: a folder or an object storage URL, no server, larger than memory.
 * `folder#name` names the collection; the default name is `main`.
 */
export class LanceStore implements Store {
  readonly #lance: Lance
  readonly #arrow: Arrow
  readonly #connection: Connection
  readonly #name: string
  readonly #options: StoreOptions
  readonly #state: OpenState
  readonly #terms: LanceTerms
  readonly #background: LanceBackground
  #table: Table | undefined
  #dimensions: number | undefined
  #type: 'f16' | 'f32'
  /** Whether the table has the hashes of texts; tables of earlier versions do not. */
  #hashed = true
  /** The metric of the approximate index, if there is one. */
  #indexed: Metric | undefined
  /** The metric that the collection was created for. */
  #loadedFor: Metric | undefined
  /** Whether there is a full-text index. */
  #wordsIndexed = false

  private constructor(
    lance: Lance,
    arrow: Arrow,
    connection: Connection,
    name: string,
    options: StoreOptions,
  ) {
    this.#lance = lance
    this.#arrow = arrow
    this.#connection = connection
    this.#name = name
    this.#options = options
    this.#state = new OpenState(`the LanceDB table ${name}`)
    this.#terms = new LanceTerms(arrow, connection, name)
    this.#background = new LanceBackground(connection, name)
    this.#type = options.type ?? 'f32'
  }

  static async open(address: string, options: StoreOptions = {}): Promise<Store> {
    const lance = await optionalPeer('@lancedb/lancedb', () => import('@lancedb/lancedb'))
    const arrow = await loadArrow()
    const { place, name } = readLanceAddress(address)
    if (!options.create) checkFolder(place)
    let store: LanceStore | undefined
    try {
      const connection = await lance.connect(place)
      store = new LanceStore(lance, arrow, connection, name, options)
      const tables = await connection.tableNames()
      if (tables.includes(name)) await store.#open(place)
      else if (!options.create) throw absentCollection(place, name, tables.filter(isCollection))
      return withLanceErrors(`${place}#${name}`, store)
    } catch (error) {
      await store?.close()
      throw lanceError(`${place}#${name}`, error)
    }
  }

  get dimensions(): number | undefined {
    return this.#dimensions
  }

  get metric(): Metric {
    return this.#options.metric ?? this.#indexed ?? this.#loadedFor ?? 'dot'
  }

  async count(): Promise<number> {
    this.#state.check()
    return (await this.#table?.countRows()) ?? 0
  }

  async search(queries: Matrix, options: StoreSearchOptions): Promise<StoreHits[]> {
    this.#state.check()
    checkSearch(queries, options, this.dimensions)
    const { metric = this.metric, exact = false } = options
    // LanceDB would use an index of another metric as if it had this metric.
    const indexed = !exact && metric === this.#indexed
    return searchLance(this.#table, queries, { ...options, metric, indexed }, (ids) =>
      this.fetch(ids, { texts: false }),
    )
  }

  async fetch(
    ids: readonly string[],
    { vectors = true, texts = true }: StoreFetchOptions = {},
  ): Promise<(StoreDocument | undefined)[]> {
    this.#state.check()
    const columns = ['id', ...(vectors ? ['vector'] : []), ...(texts ? ['title', 'text'] : [])]
    const found = new Map<string, StoreDocument>()
    for (const condition of this.#table ? idConditions(ids) : []) {
      const table = await this.#table!.query().select(columns).where(condition).toArrow()
      for (const document of toDocuments(table)) found.set(document.id, document)
    }
    return ids.map((id) => found.get(id))
  }

  async searchWords(text: string, { top }: { top: number }): Promise<string[]> {
    this.#state.check()
    if (!this.#table || !this.#wordsIndexed) return []
    return searchWords(this.#lance, this.#table, text, top)
  }

  async textVectors(texts: readonly string[]): Promise<(Float32Array | undefined)[]> {
    this.#state.check()
    return this.#table && this.#hashed ? findTexts(this.#table, texts) : texts.map(() => undefined)
  }

  async terms(): Promise<TermStatistics | undefined> {
    this.#state.check()
    const statistics = await this.#terms.read(await this.#latestCount())
    return statistics?.documents ? statistics : undefined
  }

  async background(): Promise<Background | undefined> {
    this.#state.check()
    const [name, documents, { dimensions }] = [this.#name, await this.#latestCount(), this]
    return usableBackground(await this.#background.read(), { name, documents, dimensions })
  }

  async makeBackground(options: BackgroundOptions = {}): Promise<Background> {
    this.#state.check()
    const made = await measureStore(
      {
        dimensions: this.#dimensions,
        count: () => this.#latestCount(),
        fetch: (ids, wanted) => this.fetch(ids, wanted),
        scan: (wanted) => scanLance(this.#table!, wanted),
      },
      { ...options, model: options.model ?? keptModel(await this.#background.read()) },
    )
    await this.#background.keep(JSON.stringify(made))
    return made
  }

  async add(documents: StoreDocuments): Promise<void> {
    this.#state.check()
    // LanceDB has no unique columns: new ids are compared with existing ids and with each other.
    const before = await this.count()
    const added = new Set<string>()
    await this.#change(async ({ terms, write }) => {
      for await (const batch of this.#batches(documents)) {
        const ids = batch.map(({ id }) => id)
        for (const id of ids) {
          if (added.has(id)) throw twice(id)
          added.add(id)
        }
        const known = before > 0 ? await this.#firstKnown(ids) : undefined
        if (known !== undefined) throw twice(known)
        terms.add(batch)
        await write(() => this.#table!.add(this.#toTable(batch)))
      }
    })
  }

  async replace(documents: StoreDocuments): Promise<void> {
    this.#state.check()
    await this.#change(async ({ terms, old, write }) => {
      for await (const batch of this.#batches(documents)) {
        terms.remove(await old(batch.map(({ id }) => id)))
        terms.add(batch)
        const merge = this.#table!.mergeInsert('id').whenMatchedUpdateAll()
        await write(() => merge.whenNotMatchedInsertAll().execute(this.#toTable(batch)))
      }
    })
  }

  async remove(ids: readonly string[]): Promise<number> {
    this.#state.check()
    const before = await this.count()
    await this.#change(async ({ terms, old, write }) => {
      terms.remove(await old(ids))
      for (const condition of this.#table ? idConditions(ids) : []) {
        await write(() => this.#table!.delete(condition))
      }
    })
    return before - (await this.count())
  }

  /**
   * Builds an index of quantized vectors, whose candidates are rescored with their full vectors,
   * and a full-text index.
   */
  async index(): Promise<void> {
    this.#state.check()
    if (!this.#table) return
    const { Index } = this.#lance
    // Until now, every loaded batch is a separate file.
    await this.#table.optimize()
    await this.#table.createIndex('id', { config: Index.btree() })
    const terms = await this.terms()
    if (terms) {
      if (this.#hashed) await this.#table.createIndex(HASH, { config: Index.btree() })
      await indexWords(this.#lance, this.#table, changeTokenizer(undefined, terms))
      this.#wordsIndexed = true
    }
    if ((await this.count()) < LEAST_INDEXED) return
    const distanceType = this.metric
    await this.#table.createIndex('vector', { config: Index.ivfPq({ distanceType }) })
    this.#indexed = distanceType
  }

  async close(): Promise<void> {
    if (!this.#state.end()) return
    this.#table?.close()
    this.#connection.close()
  }

  /** Same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /**
   * Changes documents, and then their term statistics. If the statistics are unknown or have
   * another tokenizer, or if another program changed documents at the same time, all texts are
   * counted again.
   */
  async #change(body: (change: Change) => Promise<void>): Promise<void> {
    const before = await this.#latestCount()
    const tokenizer = changeTokenizer(this.#options.tokenizer, await this.#terms.last())
    const known = before === 0 ? noTerms(tokenizer) : await this.#terms.read(before)
    const terms = new TermChanges(tokenizer)
    let changed = false
    await body({
      terms,
      old: async (ids) => (known && before > 0 ? this.#textsOf(ids) : []),
      write: async (writeDocuments) => {
        if (!changed) await this.#terms.forget(tokenizer)
        changed = true
        await writeDocuments()
      },
    })
    if (!changed) return
    const after = await this.count()
    const fits = known && after === before + terms.rows
    const statistics = fits ? terms.applyTo(known) : undefined
    await this.#terms.keep(statistics ?? (await countTexts(this.#table!, tokenizer)), after)
  }

  /** Counts the documents, including documents that other programs have added. */
  async #latestCount(): Promise<number> {
    await this.#table?.checkoutLatest()
    return this.count()
  }

  /** Fetches the texts of the ids that exist, each once. */
  async #textsOf(ids: readonly string[]): Promise<StoreDocument[]> {
    const found = await this.fetch([...new Set(ids)], { vectors: false })
    return found.filter((document) => document !== undefined)
  }

  async #firstKnown(ids: readonly string[]): Promise<string | undefined> {
    for (const condition of idConditions(ids)) {
      const found = await this.#table!.query().select(['id']).where(condition).limit(1).toArray()
      if (found.length > 0) return found[0].id
    }
    return undefined
  }

  /** Yields checked batches; the first batch creates the table if there is none. */
  async *#batches(documents: StoreDocuments): AsyncGenerator<StoreDocument[]> {
    const rules = { dimensions: this.#dimensions, type: this.#type }
    for await (const batch of checkedBatches(documents, rules)) {
      this.#dimensions ??= batch[0]!.vector.length
      if (!this.#table) {
        const schema = schemaOf(this.#arrow, this.#form, this.metric)
        this.#table = await this.#connection.createEmptyTable(this.#name, schema)
      }
      yield batch
    }
  }

  #toTable(batch: readonly StoreDocument[]) {
    return toTable(this.#arrow, batch, this.#form)
  }

  get #form(): RowForm {
    return { dimensions: this.#dimensions!, type: this.#type, hashed: this.#hashed }
  }

  async #open(place: string): Promise<void> {
    this.#table = await this.#connection.openTable(this.#name)
    const { fields, metadata } = await this.#table.schema()
    const list = fields.find(({ name }) => name === 'vector')?.type
    if (!list?.listSize || !fields.some(({ name }) => name === 'id')) {
      throw new KithError(
        'BAD_INPUT',
        `${place}: the LanceDB table ${this.#name} was not created by Kith; choose another collection (#name)`,
      )
    }
    this.#dimensions = list.listSize
    this.#type = list.children[0].type.precision === this.#arrow.Precision.HALF ? 'f16' : 'f32'
    this.#hashed = fields.some(({ name }) => name === HASH)
    this.#loadedFor = metricIn(metadata)
    const statistics = await this.#table.indexStats('vector_idx')
    this.#indexed = statistics?.distanceType as Metric | undefined
    this.#wordsIndexed = await areWordsIndexed(this.#table)
  }
}
