import type { Settings } from '@kith/core'
import type { TextEntry } from '@kith/ir'
import { type SearchStore, wholeText } from './search-store.ts'
import { WordIndex } from './word-index.ts'

/**
 * A store that also finds documents by their words, and knows its term statistics: all texts are
 * read once, into an index in memory. Of a collection that is too large for it, the words are only
 * counted.
 */
export async function withWords(
  store: SearchStore,
  texts: Iterable<TextEntry> | AsyncIterable<TextEntry>,
  settings: Settings,
): Promise<SearchStore> {
  const index = new WordIndex(settings)
  for await (const entry of texts) index.add(entry.id, wholeText(entry)!)
  const statistics = index.statistics()
  const counted = { ...store, terms: async () => statistics }
  if (!index.complete) return counted
  return { ...counted, searchWords: async (text, { top }) => index.search(text, top) }
}
