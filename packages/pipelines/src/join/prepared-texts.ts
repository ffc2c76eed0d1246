import { availableParallelism } from 'node:os'
import { findPath } from '@kith/base'
import { inBatches } from '@kith/base/pool'
import {
  type PreparedText,
  prepareText,
  type TermStatistics,
  TermStatisticsBuilder,
  type Tokenizer,
  type TokenizerName,
} from '@kith/core'
import { type FileEmbeddings, type Run, readTexts, type TextEntry } from '@kith/ir'
import { type EmbeddingIds, type SharedTexts, shareTexts, textAt } from '@kith/ir/internal'
import { loadLanguages } from '@kith/languages/load'
import type { Job } from '../tasks/job.ts'
import { runTasks } from '../tasks/task-pool.ts'
import type { JoinedTexts } from './join.ts'
import type { MissingPolicy } from './missing.ts'

/** Prepares a text with its title. */
export function prepareEntry({ title, text }: TextEntry, tokenizer: Tokenizer): PreparedText {
  return prepareText({ title, text }, { tokenizer })
}

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

  /** Returns the number of a text in `share`, or undefined for an unknown id. */
  numberOf(id: string): number | undefined {
    return this.#numbers.get(id)
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
  document(id: string): boolean
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
  return { query: (id) => run.has(id), document: (id) => needed.has(id) }
}

/** Number of texts that a worker prepares at a time. */
const BATCH = 256

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
}

/**
 * The texts of a run's queries and of their candidates, prepared in one pass and shared with worker
 * threads. It does not keep the texts themselves. Labels and audits use `OpenTexts` instead: they
 * write texts, and handle runs whose texts do not fit in memory. Both store prepared texts in
 * `NumberedTexts`.
 */
export class PreparedTexts implements JoinedTexts {
  readonly queries: NumberedTexts
  readonly documents: NumberedTexts
  /** The term statistics of the whole corpus, if they were counted. */
  statistics: TermStatistics | undefined
  /** The further fields of the documents, if they were requested. */
  readonly fields = new Map<string, NonNullable<TextEntry['fields']>>()

  constructor(tokenizer: Tokenizer) {
    this.queries = new NumberedTexts(tokenizer)
    this.documents = new NumberedTexts(tokenizer)
  }

  /** Prepares texts in memory. */
  static of(
    queries: Iterable<TextEntry>,
    documents: Iterable<TextEntry>,
    tokenizer: Tokenizer,
  ): PreparedTexts {
    const texts = new PreparedTexts(tokenizer)
    for (const entry of queries) texts.queries.add(entry)
    for (const entry of documents) texts.documents.add(entry)
    return texts
  }

  /** Reads two files of texts, and keeps only the wanted texts. */
  static async read(
    { corpus, queryText }: { corpus: string; queryText: string },
    wanted: WantedTexts,
    { tokenizer, count, fields, workers = workersOf(corpus) }: TextPreparation,
  ): Promise<PreparedTexts> {
    const texts = new PreparedTexts(tokenizer)
    for await (const entry of readTexts(queryText)) {
      if (wanted.query(entry.id)) texts.queries.add(entry)
    }
    const builder = count ? new TermStatisticsBuilder({ tokenizer }) : undefined
    const isNeeded = builder ? () => true : wanted.document
    const batches = inBatches(needed(readTexts(corpus, { fields }), isNeeded), BATCH)
    const prepared = runTasks('prepare', { tokenizer }, batches, workers, { batch: 1 })
    for await (const [entries, batch] of prepared) {
      for (const [i, { id, fields: own }] of entries.entries()) {
        const text = textAt(batch, i)
        builder?.add(text)
        // A copy, so that one text does not keep the memory of its batch.
        if (!builder || wanted.document(id)) {
          const { postings, positions } = text
          const copy = { postings: postings.slice(), positions: positions?.slice() }
          texts.documents.keep(id, { ...text, ...copy })
          if (own) texts.fields.set(id, own)
        }
      }
    }
    texts.statistics = builder?.finish()
    return texts
  }

  query(id: string): PreparedText {
    return this.queries.get(id)!
  }

  document(id: string): PreparedText {
    return this.documents.get(id)!
  }

  hasQuery(id: string): boolean {
    return this.queries.numberOf(id) !== undefined
  }

  hasDocument(id: string): boolean {
    return this.documents.numberOf(id) !== undefined
  }
}

async function* needed(
  corpus: AsyncIterable<TextEntry>,
  isNeeded: (id: string) => boolean,
): AsyncGenerator<TextEntry> {
  for await (const entry of corpus) if (isNeeded(entry.id)) yield entry
}

function workersOf(corpus: string): number {
  const { size = 0 } = findPath(corpus) ?? {}
  return size < SMALL ? 1 : availableParallelism()
}

/** Opens a job that prepares one batch of texts after another. */
export async function openPrepareJob({
  tokenizer,
}: {
  tokenizer: TokenizerName
}): Promise<Job<TextEntry[], SharedTexts>> {
  await loadLanguages(tokenizer)
  return {
    run: (entries) => shareTexts(entries.map((entry) => prepareEntry(entry, tokenizer))),
  }
}

/** Prepared texts by row of the embeddings, in shared memory. */
interface SharedSide {
  texts: SharedTexts
  /** The number of each row's text; -1 for a row without a text. */
  numbers: Int32Array
}

/** The texts of queries and documents by row. */
export interface SharedRowTexts {
  queries: SharedSide
  documents: SharedSide
}

/** Copies texts to shared memory, indexed by the rows of their ids. */
export function shareRowTexts(
  { queries, documents }: PreparedTexts,
  vectors: { queries: FileEmbeddings; docs: FileEmbeddings },
): SharedRowTexts {
  return {
    queries: shareSide(queries, vectors.queries),
    documents: shareSide(documents, vectors.docs),
  }
}

function shareSide(texts: NumberedTexts, { rows, ids }: FileEmbeddings): SharedSide {
  const numbers = new Int32Array(new SharedArrayBuffer(rows * 4)).fill(-1)
  for (const [id, number] of texts.numbers()) {
    const row = ids.rowOf(id)
    if (row !== undefined) numbers[row] = number
  }
  return { texts: texts.share(), numbers }
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
    return this.#queryNumber(id) >= 0
  }

  hasDocument(_: number | string, row: number): boolean {
    return this.#shared.documents.numbers[row]! >= 0
  }

  query(id: string): PreparedText {
    return textAt(this.#shared.queries.texts, this.#queryNumber(id))
  }

  document(_: number, row: number): PreparedText {
    const { texts, numbers } = this.#shared.documents
    return textAt(texts, numbers[row]!)
  }

  #queryNumber(id: string): number {
    return this.#shared.queries.numbers[this.#queries.rowOf(id) ?? -1] ?? -1
  }
}
