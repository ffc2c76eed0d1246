import {
  type PreparedText,
  prepareText,
  type TermStatistics,
  TermStatisticsBuilder,
  type Tokenizer,
  type TokenizerName,
} from '@kith/core'
import type { TextEntry } from '@kith/ir'
import {
  entriesOf,
  type SharedRowIds,
  type SharedTexts,
  sharedRowIds,
  shareTexts,
  type TextBlock,
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
  return prepareText(title === undefined ? text : { title, text }, { tokenizer })
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
  const ids = sharedRowIds(shared)
  const counted = count ? new TermStatisticsBuilder({ tokenizer }) : undefined
  return {
    run(task) {
      const texts: PreparedText[] = []
      const rows: number[] = []
      const fields: PreparedBlock['fields'] = new Map()
      const statistics = task === 'statistics' ? counted?.finish() : undefined
      const entries = task === 'statistics' ? [] : entriesOf(task)
      // V8 would compile a loop with so much in it again for each of the first blocks.
      entries.forEach((entry) => {
        const { id, title, text } = entry
        const row = ids.rowOf(id)
        if (row === undefined || needed?.[row] === 0) {
          counted?.add(title === undefined ? text : { title, text })
          return
        }
        const prepared = prepareEntry(entry, tokenizer)
        counted?.add(prepared)
        texts.push(prepared)
        rows.push(row)
        if (entry.fields) fields.set(row, entry.fields)
      })
      return { texts: shareTexts(texts), rows, fields, statistics }
    },
  }
}
