import {
  type PreparedText,
  prepareText,
  type TermStatistics,
  TermStatisticsBuilder,
  type Tokenizer,
  type TokenizerName,
} from '@kith/core'
import { countUtf16, prepareUtf16, type Utf16Text } from '@kith/core/internal'
import type { TextEntry } from '@kith/ir'
import {
  type EmbeddingIds,
  eachText,
  type IdList,
  type SharedRowIds,
  type SharedTexts,
  sharedRowIds,
  shareTexts,
  type TextBlock,
  type TextSink,
} from '@kith/ir/internal'
import { loadLanguages } from '@kith/languages/load'
import type { Job } from '../tasks/job.ts'

/** Documents whose texts are wanted, in a form that can be sent to a worker thread. */
export interface WantedDocuments {
  ids: SharedRowIds
  /** 1 for each wanted row of these ids; if undefined, all are wanted. */
  needed: Uint8Array | undefined
}

/** How to prepare the texts of a corpus. */
export interface PrepareInputs {
  tokenizer: TokenizerName
  wanted: WantedDocuments
  /** Whether to count the terms of all documents. */
  count: boolean
}

/** A block of a corpus, or the request for the statistics of all blocks that the job has prepared. */
export type PrepareTask = TextBlock | 'statistics'

/** The wanted texts of a block, prepared; or the term statistics. */
export interface PreparedBlock {
  texts: SharedTexts
  /** The row of each text in the wanted ids. */
  rows: number[]
  /** The further fields of documents by row, if they were requested. */
  fields: Map<number, NonNullable<TextEntry['fields']>>
  statistics: TermStatistics | undefined
}

/** Prepares a text with its title. */
export function prepareEntry({ title, text }: TextEntry, tokenizer: Tokenizer): PreparedText {
  return prepareText({ title, text }, { tokenizer })
}

/**
 * Opens a job that parses and prepares one block of a corpus after another. It counts the terms of
 * all blocks together, since merging statistics takes longer than counting.
 */
export async function openPrepareJob({
  tokenizer,
  wanted: { ids: shared, needed },
  count,
}: PrepareInputs): Promise<Job<PrepareTask, PreparedBlock>> {
  await loadLanguages(tokenizer)
  const collector = new TextCollector(sharedRowIds(shared), needed, tokenizer, count)
  return {
    run(task) {
      const statistics = task === 'statistics' ? collector.builder?.finish() : undefined
      if (task !== 'statistics') eachText(task, collector)
      return { ...collector.take(), statistics }
    },
  }
}

/**
 * Prepares and collects the wanted texts of a block, and counts the terms of all its texts. A job
 * has one collector for all blocks, since V8 would compile the reading of lines again for each one.
 */
class TextCollector implements TextSink {
  /** Counts terms; undefined if they are not counted. */
  readonly builder: TermStatisticsBuilder | undefined
  readonly #ids: EmbeddingIds
  readonly #needed: Uint8Array | undefined
  readonly #tokenizer: TokenizerName
  readonly #texts: PreparedText[] = []
  readonly #rows: number[] = []
  readonly #fields: PreparedBlock['fields'] = new Map()

  constructor(
    ids: EmbeddingIds,
    needed: Uint8Array | undefined,
    tokenizer: TokenizerName,
    count: boolean,
  ) {
    this.#ids = ids
    this.#needed = needed
    this.#tokenizer = tokenizer
    this.builder = count ? new TermStatisticsBuilder({ tokenizer }) : undefined
  }

  text(list: IdList, index: number, text: Utf16Text): void {
    const row = this.#ids.find(list, index)
    if (row >= 0 && this.#needed?.[row] !== 0) this.#keep(row, prepareUtf16(text, this.#tokenizer))
    else if (this.builder) countUtf16(this.builder, text, this.#tokenizer)
  }

  entry(entry: TextEntry): void {
    const row = this.#ids.rowOf(entry.id)
    if (row === undefined || this.#needed?.[row] === 0) {
      this.builder?.add({ title: entry.title, text: entry.text })
      return
    }
    this.#keep(row, prepareEntry(entry, this.#tokenizer))
    if (entry.fields) this.#fields.set(row, entry.fields)
  }

  /** Returns the collected texts, and removes them here. */
  take(): Omit<PreparedBlock, 'statistics'> {
    const texts = shareTexts(this.#texts)
    const rows = this.#rows.slice()
    const fields = new Map(this.#fields)
    this.#texts.length = 0
    this.#rows.length = 0
    this.#fields.clear()
    return { texts, rows, fields }
  }

  #keep(row: number, prepared: PreparedText): void {
    this.builder?.add(prepared)
    this.#texts.push(prepared)
    this.#rows.push(row)
  }
}
