import {
  type PreparedText,
  prepareText,
  type TermStatistics,
  TermStatisticsBuilder,
  type Tokenizer,
  type TokenizerName,
} from '@kith/core'
import { countUtf16, prepareUtf16 } from '@kith/core/internal'
import type { TextEntry } from '@kith/ir'
import {
  eachText,
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
  const ids = sharedRowIds(shared)
  const counted = count ? new TermStatisticsBuilder({ tokenizer }) : undefined
  return {
    run(task) {
      const texts: PreparedText[] = []
      const rows: number[] = []
      const fields: PreparedBlock['fields'] = new Map()
      if (task !== 'statistics') {
        eachText(task, {
          text(list, index, text) {
            const row = ids.find(list, index)
            if (row < 0 || needed?.[row] === 0) {
              if (counted) countUtf16(counted, text, tokenizer)
              return
            }
            keep(row, prepareUtf16(text, tokenizer))
          },
          entry(entry) {
            const row = ids.rowOf(entry.id)
            if (row === undefined || needed?.[row] === 0) {
              counted?.add({ title: entry.title, text: entry.text })
              return
            }
            keep(row, prepareEntry(entry, tokenizer))
            if (entry.fields) fields.set(row, entry.fields)
          },
        })
      }
      const statistics = task === 'statistics' ? counted?.finish() : undefined
      return { texts: shareTexts(texts), rows, fields, statistics }

      function keep(row: number, prepared: PreparedText): void {
        counted?.add(prepared)
        texts.push(prepared)
        rows.push(row)
      }
    },
  }
}
