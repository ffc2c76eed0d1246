import type { TextEntry } from '@kith/ir'
import type { StoreDocument } from '@kith/stores'
import type { BatchItem } from './batch-item.ts'

/** The texts of a batch's queries, which its items have; queries without a text are left out. */
export function queryTexts(items: readonly BatchItem[]): TextEntry[] {
  return items.flatMap(({ query, text }) => (text ? [{ ...text, id: query }] : []))
}

/** The texts of documents of a store; documents without a text are left out. */
export function documentTexts(documents: Iterable<StoreDocument>): TextEntry[] {
  return Array.from(documents).flatMap(({ id, title, text }) => {
    if (text === undefined) return []
    return [title === undefined ? { id, text } : { id, title, text }]
  })
}
