import { availableParallelism } from 'node:os'
import { findPath } from '@kith/base'
import {
  KithError,
  mergeTermStatistics,
  type PreparedText,
  type TermStatistics,
  type Tokenizer,
  type TokenizerName,
} from '@kith/core'
import { type FileEmbeddings, type Run, readTexts, type TextEntry } from '@kith/ir'
import {
  type EmbeddingIds,
  IdList,
  listedIds,
  readTextBlocks,
  type SharedRowIds,
  type SharedTexts,
  sharedRowIds,
  shareTexts,
  textAt,
} from '@kith/ir/internal'
import { type EarlyThreads, runTasks } from '../tasks/task-pool.ts'
import type { JoinedTexts } from './join.ts'
import type { MissingPolicy } from './missing.ts'
import {
  type PreparedBlock,
  type PrepareInputs,
  type PrepareTask,
  prepareEntry,
  type WantedDocuments,
} from './prepare-block.ts'

/** Prepared texts by id, tokenized once, and numbered in the order of insertion. */
export class NumberedTexts {
  readonly #numbers = new Map<string, number>()
  readonly #texts: PreparedText[] = []
  readonly #tokenizer: Tokenizer

  constructor(tokenizer: Tokenizer) {
    this.#tokenizer = tokenizer
  }

  /** Prepares and stores a text. */
  add(entry: TextEntry): PreparedText {
    return this.keep(entry.id, prepareEntry(entry, this.#tokenizer))
  }

  /** Stores a prepared text. */
  keep(id: string, prepared: PreparedText): PreparedText {
    this.#numbers.set(id, this.#texts.length)
    this.#texts.push(prepared)
    return prepared
  }

  /** Number of stored texts. */
  get size(): number {
    return this.#texts.length
  }

  has(id: string): boolean {
    return this.#numbers.has(id)
  }

  /** Returns the ids of all texts with their numbers. */
  numbers(): IterableIterator<[id: string, number: number]> {
    return this.#numbers.entries()
  }

  /** Returns a text by id, or undefined for an unknown id. */
  get(id: string): PreparedText | undefined {
    const number = this.#numbers.get(id)
    return number === undefined ? undefined : this.#texts[number]
  }

  /** Copies all texts to shared memory, for worker threads. */
  share(): SharedTexts {
    return shareTexts(this.#texts)
  }

  /** Removes all texts. */
  clear(): void {
    this.#numbers.clear()
    this.#texts.length = 0
  }
}

/** Selects the queries and documents whose texts are needed. */
export interface WantedTexts {
  query(id: string): boolean
  documents: WantedDocuments
}

/** Selects the texts for reranking the first candidates of each query. */
export function textsOfRun(
  run: Iterable<{ ids: readonly string[] }> & Pick<Run, 'has'>,
  lookedAt: number,
  missing: MissingPolicy,
): WantedTexts {
  const needed = new Set<string>()
  for (const { ids } of run) {
    // If candidates are skipped, later candidates move up into the context.
    const end = missing === 'skip' ? ids.length : Math.min(lookedAt, ids.length)
    for (let i = 0; i < end; i++) needed.add(ids[i]!)
  }
  return { query: (id) => run.has(id), documents: wantedDocuments(needed) }
}

/** Selects documents by id. */
export function wantedDocuments(ids: Iterable<string>): WantedDocuments {
  const list = new IdList()
  for (const id of ids) list.pushText(id)
  const twice = (id: string): Error => new KithError('BAD_INPUT', `document ${id} occurs twice`)
  return { ids: listedIds(list, twice).share(), needed: undefined }
}

/** Bytes of a corpus that a thread prepares at a time. */
const BLOCK = 4 << 20

/** Number of blocks per thread that are in memory. */
const AHEAD = 4

/** Below this many bytes of a corpus, starting workers takes longer than preparing the texts. */
const SMALL = 8 << 20

/** Options for preparing texts. */
interface TextPreparation {
  tokenizer: TokenizerName
  /** Number of threads; default: by the size of the corpus. */
  workers?: number | undefined
  /** Whether to count the terms of all documents in the same pass. */
  count: boolean
  /** Names of further fields of the documents to keep. */
  fields?: readonly string[] | undefined
  /** Threads that are idle until the texts are prepared. */
  threads?: EarlyThreads | undefined
}

/** Prepared texts by id. */
interface TextsById {
  has(id: string): boolean
  get(id: string): PreparedText | undefined
}

/**
 * The texts of a run's queries and of their candidates, prepared in one pass by several threads. It
 * does not keep the texts themselves. Labels and audits use `OpenTexts` instead: they write texts,
 * and handle runs whose texts do not fit in memory.
 */
export class PreparedTexts<Documents extends TextsById = TextsById> implements JoinedTexts {
  /** The term statistics of the whole corpus, if they were counted. */
  statistics: TermStatistics | undefined

  private constructor(
    readonly queries: NumberedTexts,
    readonly documents: Documents,
  ) {}

  /** Prepares texts in memory. */
  static of(
    queries: Iterable<TextEntry>,
    documents: Iterable<TextEntry>,
    tokenizer: Tokenizer,
  ): PreparedTexts<NumberedTexts> {
    const texts = new PreparedTexts(new NumberedTexts(tokenizer), new NumberedTexts(tokenizer))
    for (const entry of queries) texts.queries.add(entry)
    for (const entry of documents) texts.documents.add(entry)
    return texts
  }

  /** Reads two files of texts, and keeps only the wanted texts. */
  static async read(
    { corpus, queryText }: { corpus: string; queryText: string },
    wanted: WantedTexts,
    { fields, workers, threads, ...how }: TextPreparation,
  ): Promise<PreparedTexts<TextsOfRows>> {
    const documents = new TextsOfRows(wanted.documents.ids)
    const { tokenizer, count } = how
    const texts = new PreparedTexts(new NumberedTexts(tokenizer), documents)
    for await (const entry of readTexts(queryText)) {
      if (wanted.query(entry.id)) texts.queries.add(entry)
    }
    const parts: TermStatistics[] = []
    const inputs = { ...how, wanted: wanted.documents }
    for await (const [, block] of prepareCorpus(corpus, inputs, { fields, workers, threads })) {
      documents.add(block)
      if (block.statistics) parts.push(block.statistics)
    }
    if (count) texts.statistics = mergeTermStatistics(parts)
    return texts
  }

  query(id: string): PreparedText {
    return this.queries.get(id)!
  }

  document(id: string): PreparedText {
    return this.documents.get(id)!
  }

  hasQuery(id: string): boolean {
    return this.queries.has(id)
  }

  hasDocument(id: string): boolean {
    return this.documents.has(id)
  }
}

/**
 * Prepares the texts of a corpus on several threads, block by block, in order; then yields the term
 * statistics that each thread has counted, if requested.
 */
export function prepareCorpus(
  corpus: string,
  inputs: PrepareInputs,
  {
    fields,
    workers = workersOf(corpus),
    threads,
  }: Pick<TextPreparation, 'fields' | 'workers' | 'threads'> = {},
): AsyncGenerator<[PrepareTask, PreparedBlock]> {
  const blocks = readTextBlocks(corpus, { fields, size: BLOCK })
  const last = inputs.count ? 'statistics' : undefined
  return runTasks('prepare', inputs, blocks, workers, { batch: 1, ahead: AHEAD, last, threads })
}

function workersOf(corpus: string): number {
  const { size = 0 } = findPath(corpus) ?? {}
  return size < SMALL ? 1 : availableParallelism()
}

/** Prepared texts of the rows of a list of ids, in shared memory. */
interface SharedSide {
  blocks: SharedTexts[]
  /** The block of each row's text, counted from 1, and the number of the text in the block. */
  places: Uint32Array
}

/** The texts of queries and documents by row. */
export interface SharedRowTexts {
  queries: SharedSide
  documents: SharedSide
}

/** Prepared texts by id, in the blocks in which threads prepared them. */
class TextsOfRows implements TextsById {
  readonly #ids: EmbeddingIds
  readonly side: SharedSide
  /** The further fields of the documents by row, if they were requested. */
  readonly fields: PreparedBlock['fields'] = new Map()

  constructor(ids: SharedRowIds) {
    this.#ids = sharedRowIds(ids)
    this.side = { blocks: [], places: placesOf(ids.rows) }
  }

  /** Adds prepared texts; the last text with an id counts. */
  add({ texts, rows, fields }: PreparedBlock): void {
    const { blocks, places } = this.side
    blocks.push(texts)
    rows.forEach((row, number) => {
      places[row * 2] = blocks.length
      places[row * 2 + 1] = number
    })
    for (const [row, own] of fields) this.fields.set(row, own)
  }

  has(id: string): boolean {
    return hasText(this.side, this.#ids.rowOf(id))
  }

  get(id: string): PreparedText | undefined {
    const row = this.#ids.rowOf(id)
    return hasText(this.side, row) ? textOf(this.side, row!) : undefined
  }
}

function placesOf(rows: number): Uint32Array {
  return new Uint32Array(new SharedArrayBuffer(rows * 8))
}

function hasText({ places }: SharedSide, row: number | undefined): boolean {
  return row !== undefined && places[row * 2]! > 0
}

function textOf({ blocks, places }: SharedSide, row: number): PreparedText {
  return textAt(blocks[places[row * 2]! - 1]!, places[row * 2 + 1]!)
}

/**
 * Shares texts with worker threads.
 *
 * @param texts Its documents are the rows of the embeddings.
 * @param queries The embeddings of the queries.
 */
export function shareRowTexts(
  texts: PreparedTexts<TextsOfRows>,
  { rows, ids }: FileEmbeddings,
): SharedRowTexts {
  const queries = { blocks: [texts.queries.share()], places: placesOf(rows) }
  for (const [id, number] of texts.queries.numbers()) {
    const row = ids.rowOf(id)
    if (row !== undefined) queries.places.set([1, number], row * 2)
  }
  return { queries, documents: texts.documents.side }
}

/** Reads texts that another thread shares. */
export class RowTexts implements JoinedTexts<number> {
  readonly #shared: SharedRowTexts
  readonly #queries: Pick<EmbeddingIds, 'rowOf'>

  constructor(shared: SharedRowTexts, queries: Pick<EmbeddingIds, 'rowOf'>) {
    this.#shared = shared
    this.#queries = queries
  }

  hasQuery(id: string): boolean {
    return hasText(this.#shared.queries, this.#queries.rowOf(id))
  }

  hasDocument(_: number | string, row: number): boolean {
    return hasText(this.#shared.documents, row)
  }

  query(id: string): PreparedText {
    return textOf(this.#shared.queries, this.#queries.rowOf(id)!)
  }

  document(_: number, row: number): PreparedText {
    return textOf(this.#shared.documents, row)
  }
}
